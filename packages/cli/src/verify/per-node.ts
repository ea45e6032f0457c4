import type { Backend, CompileRequest, Value } from "@pt2/backend";
import { type Comparison, compareTensors, mismatch } from "@pt2/backend";
import type { Node, Program } from "@pt2/graph";
import { describeNode } from "@pt2/registry";
import { type Definition, definedValues, nodeProgram, operandsOf, withResults } from "./node-program.ts";
import type { ToleranceOf } from "./tolerance.ts";

/** What is compared node by node. */
export interface PerNodeRequest {
  /** The backend in question. */
  readonly backend: Backend;
  /** What it is compared with: another backend, or itself with every node compiled alone, without plan or fusion. */
  readonly reference: Backend | "alone";
  readonly compile: Omit<CompileRequest, "precision">;
  /** User inputs that have a value in the graph, in order. */
  readonly inputs: readonly Value[];
  readonly tolerance: ToleranceOf;
}

/** One value that a node computed. */
export interface NodeCheck {
  readonly value: string;
  readonly node: string;
  readonly op: string;
  readonly where: string;
  readonly comparison: Comparison;
}

/** Result of a comparison node by node. */
export interface PerNodeReport {
  readonly ok: boolean;
  readonly reference: string;
  readonly checks: readonly NodeCheck[];
  /** The first value that diverges. */
  readonly first: NodeCheck | null;
}

type Values = ReadonlyMap<string, Value>;

/**
 * Compares every value of a program. The values come from a program that returns all of them; where they agree, each
 * of its own results is also computed as the program does it, with whatever is fused then.
 */
export async function comparePerNode(request: PerNodeRequest): Promise<PerNodeReport> {
  const { backend, reference, compile } = request;
  const defined = definedValues(compile.program);
  const names = defined.map(({ value }) => value);
  const expected = await (reference === "alone" ? runAlone(request) : runWhole(request, reference, names));
  const actual = await runWhole(request, backend, names);
  let checks = await compareValues(request, defined, expected, actual);
  if (checks.every(({ comparison }) => comparison.ok)) {
    const results = compile.program.graph.outputs.flatMap((arg) => (arg.kind === "value" ? arg.name : []));
    const fused = await runWhole(request, backend, results);
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

/** Runs the program on a backend so that it returns the named values. */
async function runWhole(
  { compile, inputs }: PerNodeRequest,
  backend: Backend,
  names: readonly string[],
): Promise<Values> {
  const own = new Set(definedValues(compile.program).map(({ value }) => value));
  const wanted = names.filter((name) => own.has(name));
  const executable = await backend.compile({ ...compile, program: withResults(compile.program, wanted) });
  try {
    const results = await executable.run(inputs);
    return new Map(wanted.map((name, i) => [name, results[i]!]));
  } finally {
    await executable.dispose();
  }
}

/** Runs each node as a program of its own, on what the nodes before it gave. */
async function runAlone({ backend, compile, inputs }: PerNodeRequest): Promise<Values> {
  const values = new Map<string, Value>();
  operandsOf(compile.program).forEach((name, i) => {
    values.set(name, inputs[i]!);
  });
  for (const [node, results] of byNode(definedValues(compile.program))) {
    const program = nodeProgram(compile.program, node, results);
    const operands = operandsOf(program).map((name) => values.get(name) ?? null);
    const executable = await backend.compile({ ...compile, program });
    try {
      const computed = await executable.run(operands);
      results.forEach((name, i) => {
        values.set(name, computed[i]!);
      });
    } finally {
      await executable.dispose();
    }
  }
  return values;
}

function byNode(definitions: readonly Definition[]): ReadonlyMap<Node, readonly string[]> {
  const names = new Map<Node, string[]>();
  for (const { node, value } of definitions) {
    const known = names.get(node);
    if (known === undefined) names.set(node, [value]);
    else known.push(value);
  }
  return names;
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
    const [want, have] = [await expected.read(), await actual.read()];
    return compareTensors({ ...expected, data: want }, { ...actual, data: have }, tolerance(expected.dtype));
  }
  if (Object.is(expected, actual) || String(expected) === String(actual)) {
    return { ok: true, ratio: 0, maxAbs: 0, bad: 0, count: 1, worst: null };
  }
  return mismatch(`${actual} instead of ${expected}`, 1);
}

/** The inputs of a program among the leaves of a call: those that have a value in its graph. */
export function graphInputs({ inputs }: Program, leaves: readonly unknown[]): readonly Value[] {
  const users = inputs.filter(({ kind }) => kind === "user_input" || kind === "constant_input");
  return users.flatMap((spec, i) => (spec.kind === "user_input" && spec.value !== null ? [leaves[i] as Value] : []));
}
