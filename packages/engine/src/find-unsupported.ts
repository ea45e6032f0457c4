import type { UnsupportedOp } from "@pt2/backend";
import { type DType, Pt2Error } from "@pt2/format";
import { definitionsOf, type Graph, graphsOf, isSymbolic, type Node, type Program, stats, usesOf } from "@pt2/graph";
import {
  type ArgValue,
  argValue,
  type Decomposition,
  decompositionOf,
  describeNode,
  Emitter,
  isControl,
  type LowerTarget,
  type OpRecord,
  type OpRegistry,
  resolveArgs,
} from "@pt2/registry";
import { isNative, loading } from "@pt2/registry/on-demand";
import { hintBindings, hintValues } from "./hint-values.ts";

/** What a backend can do with single ops. */
export interface Abilities {
  readonly target: LowerTarget;
  readonly dtypes: readonly DType[];
  /** What a user can do about tensors of a dtype that the backend lacks. */
  readonly dtypeAdvice?: Readonly<Partial<Record<DType, string>>>;
  /** Whether the backend runs an op whose result sizes depend on data. */
  hasDynamicKernel(op: string): boolean;
}

/**
 * Finds the ops of a program that a backend cannot run, in nested graphs too. Each node is lowered by itself, with the
 * sizes that the program records; open sizes are assumed. A node that cannot be lowered with them is judged by its op
 * alone.
 */
export async function findUnsupported(
  program: Program,
  registry: OpRegistry,
  abilities: Abilities,
): Promise<readonly UnsupportedOp[]> {
  await registry.load(stats(program.graph).map(({ op }) => op));
  const found = await search(program, registry, abilities);
  if (found.every(({ why }) => why !== NO_OP_SET)) return found;
  const { whyForeign } = await import("./foreign-ops.ts");
  return found.map((each) => (each.why === NO_OP_SET ? { ...each, why: whyForeign(each.op) ?? NO_OP_SET } : each));
}

async function search(program: Program, registry: OpRegistry, abilities: Abilities): Promise<readonly UnsupportedOp[]> {
  const bindings = hintBindings(program);
  const found = new Map<string, UnsupportedOp>();
  const known: KnownProblems = new Map();
  const enter = async (graph: Graph): Promise<void> => {
    for (const node of graph.nodes) {
      const why = await problemOf(node, graph, bindings, registry, abilities, known);
      if (why !== null) {
        const { count, where, why: first } = found.get(node.op) ?? { count: 0, where: describeNode(node), why };
        found.set(node.op, { op: node.op, count: count + 1, where, why: first });
      }
      for (const nested of graphsOf(node)) await enter(nested.graph);
    }
  };
  await enter(program.graph);
  return [...found.values()];
}

/** Explains why a node cannot run; null where it can. */
async function problemOf(
  node: Node,
  graph: Graph,
  bindings: ReadonlyMap<string, number | bigint>,
  registry: OpRegistry,
  abilities: Abilities,
  known: KnownProblems,
): Promise<string | null> {
  const { target, dtypes, dtypeAdvice } = abilities;
  const own = dtypesOf(node, graph);
  const foreign = own.find((dtype) => !dtypes.includes(dtype));
  if (foreign !== undefined) {
    const advice = dtypeAdvice?.[foreign];
    return `${target.name} has no ${foreign} tensors${advice === undefined ? "" : `; ${advice}`}`;
  }
  if (isSymbolic(node.op) || isControl(node.op)) return null;
  if (registry.handlerOf(node.op)?.compile !== undefined) return null;
  const record = registry.resolve(node.op);
  // Without a record only the handler knows what its op is; it answers when the program is lowered.
  if (record === undefined) {
    return registry.handlerOf(node.op)?.rewrite === undefined ? NO_OP_SET : null;
  }
  if (runsAnywhere(record, node, own) && registry.handlerOf(node.op) === undefined) return null;
  const env = hintValues(usesOf(node), graph, bindings);
  const args = argsOf(node, record, env);
  if (await loading(() => isDynamic(record, args))) {
    return await dynamicProblem(node, record, args, registry, abilities);
  }
  if (record.compute !== undefined && record.decompose === undefined) return null;
  if (args === null)
    return (await hasRule(record, target)) ? null : (registry.lackOf(node.op, target.name) ?? NO_KERNEL);
  const call = `${node.op} ${callKey(args)}`;
  const problem = known.has(call) ? known.get(call)! : await loweringProblem(node, args, registry, target);
  known.set(call, problem);
  return problem;
}

/** A longer chain of decompositions is a cycle between records. */
const MAX_DEPTH = 32;

/** Explains why an op whose result sizes depend on data cannot run: it, or what a user's op decomposes into. */
async function dynamicProblem(
  node: Node,
  record: OpRecord,
  args: Readonly<Record<string, ArgValue>> | null,
  registry: OpRegistry,
  abilities: Abilities,
  depth = 0,
): Promise<string | null> {
  const { target } = abilities;
  if (depth > MAX_DEPTH) return "its decomposition refers back to itself";
  if (abilities.hasDynamicKernel(record.name)) return null;
  if (record.decompose === undefined || registry.userSetOf(record.name) === undefined) {
    if (record.compute !== undefined) return null;
    return `the sizes of its results depend on data, and ${target.name} has no kernel for it`;
  }
  if (args === null) return null;
  const calls = await loading(() => callsOf(node, record, args, registry));
  for (const { record: called, args: given } of calls) {
    if (called.compute !== undefined) continue;
    const isOpen = await loading(() => isDynamic(called, given));
    const problem = isOpen
      ? await dynamicProblem(node, called, given, registry, abilities, depth + 1)
      : await loweringProblem({ ...node, op: called.name }, given, registry, target);
    if (problem !== null) return called.name === record.name ? problem : `it needs ${called.name}: ${problem}`;
  }
  return null;
}

/** Returns the calls of a decomposition, none where assumed sizes do not fit it. */
function callsOf(
  node: Node,
  record: OpRecord,
  args: Readonly<Record<string, ArgValue>>,
  registry: OpRegistry,
): Decomposition["calls"] {
  try {
    return decompositionOf(record, args, node, registry)?.calls ?? [];
  } catch (error) {
    if (error instanceof Pt2Error && error.code !== "registry.not-loaded") return [];
    throw error;
  }
}

/**
 * What is wrong with calls that were seen before: a program repeats its layers, and equal calls are lowered equally.
 */
type KnownProblems = Map<string, string | null>;

/** Returns a key that is equal for calls that lower to the same ops. Names of tensors and keys play no part in that. */
function callKey(value: ArgValue | Readonly<Record<string, ArgValue>> | undefined): string {
  if (typeof value !== "object" || value === null) return `${typeof value}:${Object.is(value, -0) ? "-0" : value}`;
  if (Array.isArray(value)) return `[${value.map(callKey)}]`;
  const entries = Object.entries(value as Readonly<Record<string, ArgValue>>);
  return `{${entries.map(([key, item]) => (key === "name" ? "" : `${key}=${callKey(item)}`))}}`;
}

const NO_OP_SET = "no op set has it";
const NO_KERNEL = "it has neither a kernel nor a decomposition";

/** Returns the arguments by schema name, tensors with assumed sizes; null where they are not known. */
function argsOf(
  node: Node,
  record: OpRecord,
  hints: ReadonlyMap<string, ArgValue>,
): Readonly<Record<string, ArgValue>> | null {
  if (usesOf(node).some((name) => !hints.has(name))) return null;
  try {
    const given = Object.fromEntries(node.args.map(({ name, arg }) => [name, argValue(arg, hints, node)]));
    return resolveArgs(record.schema, given);
  } catch {
    return null;
  }
}

/** Whether the record alone suffices: that of a view, or of an elementwise op on real numbers. */
function runsAnywhere(record: OpRecord, node: Node, dtypes: readonly DType[]): boolean {
  if (record.view !== undefined) return true;
  const isComplex = node.args.some(({ arg }) => arg.kind === "complex");
  return record.scalar !== undefined && !isComplex && !dtypes.some((dtype) => dtype.startsWith("complex"));
}

function isDynamic({ dynamic }: OpRecord, args: Readonly<Record<string, ArgValue>> | null): boolean {
  return typeof dynamic === "function" ? args !== null && dynamic(args) : dynamic === true;
}

async function hasRule(record: OpRecord, target: LowerTarget): Promise<boolean> {
  if (record.scalar !== undefined || record.view !== undefined || record.decompose !== undefined) return true;
  // An assertion about numbers needs no kernel: it is checked while the program is lowered.
  if (record.infer !== undefined && record.schema.returns.length === 0) return true;
  try {
    return await isNative(target, record.name, {});
  } catch (error) {
    if (isUnreachable(error)) throw error;
    // The op has a kernel, which would have looked at the arguments that are not known.
    return true;
  }
}

/** Assumed sizes may not fit together, so only a missing op counts. */
async function loweringProblem(
  node: Node,
  args: Readonly<Record<string, ArgValue>>,
  registry: OpRegistry,
  target: LowerTarget,
): Promise<string | null> {
  try {
    await new Emitter(registry, target).lower(node.op, args, node);
    return null;
  } catch (error) {
    if (isUnreachable(error)) throw error;
    if (!(error instanceof Pt2Error) || error.code !== "registry.unsupported-op") return null;
    const { op, why } = error.details;
    return op === node.op ? String(why) : `it needs ${String(op)}: ${String(why)}`;
  }
}

/** Whether code could not be loaded, so that nothing is known. */
function isUnreachable(error: unknown): boolean {
  return error instanceof Pt2Error && error.code === "registry.not-loaded";
}

function dtypesOf(node: Node, { values }: Graph): readonly DType[] {
  const dtypes: DType[] = [];
  for (const names of [usesOf(node), definitionsOf(node)]) {
    for (const name of names) {
      const type = values.get(name);
      if (type?.kind === "tensor") dtypes.push(type.dtype);
    }
  }
  return dtypes;
}
