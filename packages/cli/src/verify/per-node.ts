import { type Backend, type Comparison, compareTensors, mismatch, type Value } from "@pt2/backend";
import type { Program } from "@pt2/graph";
import { describeNode } from "@pt2/registry";
import { type Definition, definedValues } from "./node-program.ts";
import { runAlone, runNodes, runReturning, type Values, type ValuesRequest } from "./program-values.ts";
import { byLargestElement, type ToleranceOf } from "./tolerance.ts";

/** A request to compare values node by node. */
export interface PerNodeRequest extends ValuesRequest {
  /** The backend to check. */
  readonly backend: Backend;
  /** The reference: another backend, or the same one node by node, without plan or fusion. */
  readonly reference: Backend | "alone";
  readonly tolerance: ToleranceOf;
}

/** The check of one value. */
export interface NodeCheck {
  readonly value: string;
  readonly node: string;
  readonly op: string;
  readonly where: string;
  readonly comparison: Comparison;
}

/** The result of a comparison node by node. */
export interface PerNodeReport {
  readonly ok: boolean;
  readonly reference: string;
  readonly checks: readonly NodeCheck[];
  /** The first value that diverges. */
  readonly first: NodeCheck | null;
}

/**
 * Compares every value of a program between a backend and a reference; where all agree, each of the program's own
 * results is also computed with the fusion of a normal run.
 */
export async function comparePerNode(request: PerNodeRequest): Promise<PerNodeReport> {
  const { backend, reference, compile } = request;
  const defined = definedValues(compile.program);
  const names = defined.map(({ value }) => value);
  const alone = reference === "alone";
  const expected = await (alone ? runAlone(request, backend) : runNodes(request, reference));
  const actual = await (alone ? runReturning(request, backend, names) : runNodes(request, backend));
  let checks = await compareValues(request, defined, expected, actual);
  if (checks.every(({ comparison }) => comparison.ok)) {
    const results = compile.program.graph.outputs.flatMap((arg) => (arg.kind === "value" ? arg.name : []));
    const fused = await runReturning(request, backend, results);
    const late = defined.filter(({ value }) => fused.has(value));
    checks = [
      ...checks,
      ...(await compareValues(request, late, expected, fused)).filter(({ comparison }) => !comparison.ok),
    ];
  }
  const first = checks.find(({ comparison }) => !comparison.ok) ?? null;
  const name = reference === "alone" ? `${backend.name}, one node at a time` : reference.name;
  return { ok: first === null, reference: name, checks, first };
}

async function compareValues(
  { tolerance }: PerNodeRequest,
  defined: readonly Definition[],
  expected: Values,
  actual: Values,
): Promise<readonly NodeCheck[]> {
  const checks: NodeCheck[] = [];
  for (const { value, node } of defined) {
    const comparison = await compareValue(expected.get(value) ?? null, actual.get(value) ?? null, tolerance);
    checks.push({ value, node: node.name, op: node.op, where: describeNode(node), comparison });
  }
  return checks;
}

async function compareValue(expected: Value, actual: Value, tolerance: ToleranceOf): Promise<Comparison> {
  if (typeof expected === "object" && expected !== null && typeof actual === "object" && actual !== null) {
    const want = { dtype: expected.dtype, shape: expected.shape, data: await expected.read() };
    const have = { dtype: actual.dtype, shape: actual.shape, data: await actual.read() };
    return compareTensors(want, have, byLargestElement(tolerance(want.dtype), want));
  }
  if (Object.is(expected, actual) || String(expected) === String(actual)) {
    return { ok: true, ratio: 0, maxAbs: 0, bad: 0, count: 1, worst: null };
  }
  return mismatch(`${actual} instead of ${expected}`, 1);
}

/** Selects the leaves of a call that have a value in the program's graph. */
export function graphInputs({ inputs }: Program, leaves: readonly unknown[]): readonly Value[] {
  const users = inputs.filter(({ kind }) => kind === "user_input" || kind === "constant_input");
  return users.flatMap((spec, i) => (spec.kind === "user_input" && spec.value !== null ? [leaves[i] as Value] : []));
}
