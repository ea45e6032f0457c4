import type { Backend, Value } from "@pt2/backend";
import type { Node, Program } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";
import { computedIn } from "./computed-in.ts";
import { type Divergence, explainDivergence } from "./first-divergence.ts";
import { checkOf, type NodeCheck } from "./node-check.ts";
import { type Definition, definedValues } from "./node-program.ts";
import { runAlone, runNodes, runReturning, type Values, type ValuesRequest } from "./program-values.ts";
import type { ToleranceOf } from "./tolerance.ts";
import { compareValue } from "./value-comparison.ts";

/** A request to compare values node by node. */
export interface PerNodeRequest extends ValuesRequest {
  /** The backend to check. */
  readonly backend: Backend;
  /** The reference: another backend, or the same one node by node, without plan or fusion. */
  readonly reference: Backend | "alone";
  /** The ops of another backend as reference. Default: those of the backend to check. */
  readonly referenceRegistry?: OpRegistry;
  readonly tolerance: ToleranceOf;
}

/** The result of a comparison node by node. */
export interface PerNodeReport {
  readonly ok: boolean;
  readonly reference: string;
  readonly checks: readonly NodeCheck[];
  /** The first value that diverges. */
  readonly first: Divergence | null;
}

/**
 * Compares every value of a program between a backend and a reference; where all agree, each of the program's own
 * results is also computed with the fusion of a normal run.
 */
export async function comparePerNode(request: PerNodeRequest): Promise<PerNodeReport> {
  const { backend, reference, compile } = request;
  const defined = definedValues(compile.program).filter(({ node }) => !isUninitialized(node));
  const names = defined.map(({ value }) => value);
  const alone = reference === "alone";
  const registry = request.referenceRegistry ?? compile.registry;
  const expected = await (alone
    ? runAlone(request, backend)
    : runNodes({ ...request, compile: { ...compile, registry } }, reference));
  const actual = await (alone ? runReturning(request, backend, names) : runNodes(request, backend));
  let checks = await compareValues(request, defined, expected, actual);
  const fused = checks.every(({ comparison }) => comparison.ok);
  if (fused) {
    const results = compile.program.graph.outputs.flatMap((arg) => (arg.kind === "value" ? arg.name : []));
    const returned = await runReturning(request, backend, results);
    const late = defined.filter(({ value }) => returned.has(value));
    checks = [
      ...checks,
      ...(await compareValues(request, late, expected, returned)).filter(({ comparison }) => !comparison.ok),
    ];
  }
  const check = checks.find(({ comparison }) => !comparison.ok);
  const first =
    check === undefined
      ? null
      : await explainDivergence({ ...request, precision: "fast", fused, check, checks, expected });
  const name = reference === "alone" ? `${backend.name}, one node at a time` : reference.name;
  return { ok: first === null, reference: name, checks, first };
}

async function compareValues(
  { tolerance, compile }: PerNodeRequest,
  defined: readonly Definition[],
  expected: Values,
  actual: Values,
): Promise<readonly NodeCheck[]> {
  const computed = computedIn(compile.program, compile.registry);
  const checks: NodeCheck[] = [];
  for (const { value, node } of defined) {
    const [want, have] = [expected.get(value) ?? null, actual.get(value) ?? null];
    const comparison = await compareValue(want, have, tolerance, computed.get(value));
    checks.push(checkOf(value, node, comparison));
  }
  return checks;
}

/** Returns whether a node gives memory that nothing was written to, which has no values to compare. */
function isUninitialized({ op }: Node): boolean {
  return /^aten::(?:new_)?empty/.test(op);
}

/** Selects the leaves of a call that have a value in the program's graph. */
export function graphInputs({ inputs }: Program, leaves: readonly unknown[]): readonly Value[] {
  const users = inputs.filter(({ kind }) => kind === "user_input" || kind === "constant_input");
  return users.flatMap((spec, i) => (spec.kind === "user_input" && spec.value !== null ? [leaves[i] as Value] : []));
}
