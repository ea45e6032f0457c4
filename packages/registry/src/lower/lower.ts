import type { Arg, Graph, Node, OpName } from "@pt2/graph";
import { loading } from "../not-loaded.ts";
import type { OpRecord } from "../op.ts";
import { resolveArgs } from "../op-registry.ts";
import { registryError } from "../registry-errors.ts";
import type { ArgValue } from "../tensor-meta.ts";
import { argValue, describe, type Environment, namedArgs, operandOf } from "./arguments.ts";
import { bind, outputsOf } from "./bind.ts";
import type { Call, LoweredNode } from "./call.ts";
import { requireArgumentValues } from "./check-arguments.ts";
import { Emitter, MAX_DEPTH, unsupported } from "./emit.ts";
import { inlineDecomposition } from "./inline-decomposition.ts";
import { isNativeIfLoaded } from "./is-native.ts";
import { located } from "./located.ts";
import { LoweredGraph } from "./lowered-graph.ts";
import { type LoweredTensor, tensorsIn } from "./lowered-tensor.ts";
import type { Lowering, LowerOptions } from "./lowering.ts";
import { Repetition } from "./repetition.ts";
import { isRuntimeScalar, RuntimeScalars } from "./runtime-scalar.ts";
import type { GraphBreak, LowerAgain, Stage } from "./stage.ts";
import { evaluateSymbolic } from "./symbolic.ts";

const CONTROL = /^higher_order::(cond|while_loop|scan|map_impl)$/;

/** Returns whether executors run a higher-order op; the others are inlined by passes, or unsupported. */
export function isControl(op: OpName): boolean {
  return CONTROL.test(op);
}

/**
 * Lowers a functional graph for concrete inputs, up to its first graph break. `inputs` gives every placeholder its
 * value: a {@link LoweredTensor} or a number. Loads the ops that it needs.
 */
export async function lower(
  graph: Graph,
  inputs: ReadonlyMap<string, ArgValue>,
  options: LowerOptions,
): Promise<Stage> {
  await options.registry.load(graph.nodes.map(({ op }) => op));
  return await lowerFrom(graph, 0, inputs, options);
}

async function lowerFrom(
  from: Graph,
  start: number,
  given: ReadonlyMap<string, ArgValue>,
  options: LowerOptions,
): Promise<Stage> {
  let graph = from;
  const env = new Map(given);
  const numbers = new RuntimeScalars();
  const emitter = new Emitter(options.registry, options.target, numbers);
  const nodes: LoweredNode[] = [];
  for (let at = start; at < graph.nodes.length; at++) {
    const node = graph.nodes[at]!;
    const symbolic = symbolicAt(node, env, numbers);
    if (symbolic !== undefined) {
      bind(node, [symbolic], env);
      nodes.push({ node, calls: [], results: [symbolic] });
      continue;
    }
    const inlined = await loading(() => inlinedAt(node, graph, env, numbers, options));
    if (inlined !== null) {
      await options.registry.load(inlined.map(({ op }) => op));
      graph = { ...graph, nodes: [...graph.nodes.slice(0, at), ...inlined, ...graph.nodes.slice(at + 1)] };
      at--;
      continue;
    }
    const end = await loading(() => graphBreakAt(node, graph, env, numbers, options));
    if (end !== null) {
      const whole = graph;
      const resume = (results: readonly ArgValue[]): Promise<Stage> => {
        const next = new Map(env);
        bind(node, results, next);
        return lowerFrom(whole, at + 1, next, options);
      };
      return { calls: emitter.calls, end, live: liveAt(graph, at, env), numbers, resume };
    }
    const lowered = await lowerNode(node, graph, env, emitter, options);
    bind(node, lowered.results, env);
    emitter.repeat(lowered.calls);
    nodes.push({ node, ...lowered });
  }
  const stage = returnStage(graph, env, emitter, numbers);
  if (start > 0 || graph !== from || hasFixedSizes(graph)) return stage;
  return { ...stage, again: repeater([graph, nodes, env, [...given.keys()]], options) };
}

/** Whether all that a graph is given are tensors of sizes that are numbers. */
function hasFixedSizes({ inputs, values }: Graph): boolean {
  return inputs.every((name) => {
    const type = name === null ? undefined : values.get(name);
    return name === null || (type?.kind === "tensor" && type.shape.every((size) => typeof size !== "object"));
  });
}

/** Nodes are sorted when a second size comes. */
function repeater(parts: ConstructorParameters<typeof LoweredGraph>, options: LowerOptions): LowerAgain {
  let whole: LoweredGraph | undefined;
  return {
    get needsStrict() {
      return whole?.needsStrict ?? false;
    },
    async repeat(others, isStrict) {
      whole ??= new LoweredGraph(...parts);
      return await Repetition.of(whole, others, { options, lowerNode: lowerAlone, isStrict });
    },
  };
}

/**
 * Returns what a node comes to that was no graph break for other inputs, with calls that are not added to the emitter;
 * null if it is one now.
 */
async function lowerAlone(
  node: Node,
  graph: Graph,
  env: Environment,
  { emitter, numbers, options }: Lowering,
): Promise<Pick<LoweredNode, "calls" | "results"> | null> {
  const symbolic = symbolicAt(node, env, numbers);
  if (symbolic !== undefined) return { calls: [], results: [symbolic] };
  const isOther = (): boolean =>
    inlinedAt(node, graph, env, numbers, options) !== null || graphBreakAt(node, graph, env, numbers, options) !== null;
  if (await loading(isOther)) return null;
  return await lowerNode(node, graph, env, emitter, options);
}

/** Returns the value of a node that computes a size or a number; undefined for any other node. */
function symbolicAt(node: Node, env: Environment, numbers: RuntimeScalars): ArgValue | undefined {
  return located(node, () => evaluateSymbolic(node, (i) => argValue(node.args[i]!.arg, env, node), numbers));
}

/** Returns what a node comes to; its calls are not added yet. */
async function lowerNode(
  node: Node,
  { values: types }: Graph,
  env: Environment,
  emitter: Emitter,
  { registry }: LowerOptions,
): Promise<Pick<LoweredNode, "calls" | "results">> {
  const first = emitter.calls.length;
  const results = await emitter.lower(node.op, namedArgs(node, env), node);
  registry.checks?.requireAsRecorded(node, results, (name) => env.get(name), types, registry);
  return { calls: emitter.calls.splice(first), results };
}

/** Returns the stage that ends with the graph. */
function returnStage(graph: Graph, env: Environment, { calls }: Emitter, numbers: RuntimeScalars): Stage {
  const outputs = outputsOf(graph, env);
  const live = new Set(outputs.flatMap(storedIn));
  return { calls, end: { kind: "return", outputs }, live, numbers, resume: noGraphBreak };
}

/** Returns the tensors that the node at `at` and later nodes read. */
function liveAt(graph: Graph, at: number, env: Environment): ReadonlySet<LoweredTensor> {
  const live = new Set<LoweredTensor>();
  const visit = (arg: Arg): void => {
    if (arg.kind === "list") arg.items.forEach(visit);
    if (arg.kind === "value") for (const tensor of storedIn(env.get(arg.name))) live.add(tensor);
  };
  for (const node of graph.nodes.slice(at)) for (const { arg } of node.args) visit(arg);
  graph.outputs.forEach(visit);
  return live;
}

/** Returns the tensors of a value that have memory after the stage. */
function storedIn(value: ArgValue | undefined): readonly LoweredTensor[] {
  return tensorsIn(value).filter((tensor) => !isRuntimeScalar(tensor));
}

/** The number of decompositions that a node came from; more of them than {@link MAX_DEPTH} are a cycle of records. */
const depths = new WeakMap<Node, number>();

/** Returns the nodes that a user's op with result sizes of data consists of; null for any other node. */
function inlinedAt(
  node: Node,
  graph: Graph,
  env: Environment,
  numbers: RuntimeScalars,
  { registry, target }: LowerOptions,
): readonly Node[] | null {
  // PyTorch's dynamic ops have kernels wherever programs are lowered.
  if (registry.userSetOf(node.op) === undefined || registry.handlerOf(node.op)?.compile !== undefined) return null;
  const record = registry.resolve(node.op);
  if (record?.dynamic === undefined || record.dynamic === false || record.decompose === undefined) return null;
  const args = dynamicArgs(node, record, env, numbers);
  if (args === null) return null;
  const depth = (depths.get(node) ?? 0) + 1;
  if (depth > MAX_DEPTH) throw unsupported(node.op, node, target.name, "its decomposition refers back to itself");
  const nodes = located(node, () => inlineDecomposition(node, record, args, { graph, env, registry }));
  nodes?.forEach((each) => void depths.set(each, depth));
  return nodes;
}

/** Returns the checked arguments of a node whose result sizes depend on data; null where they do not for these. */
function dynamicArgs(node: Node, record: OpRecord, env: Environment, numbers: RuntimeScalars): Call["args"] | null {
  const args = resolveArgs(record.schema, numbers.fixAll(namedArgs(node, env)), () => describe(node));
  const { dynamic } = record;
  if (typeof dynamic === "function" && !located(node, () => dynamic(args))) return null;
  requireAccepted(record, args, node);
  return args;
}

/** A backend sees data only after the rules have accepted dtypes and shapes, as for any other op. */
function requireAccepted(record: OpRecord, args: Call["args"], node: Node): void {
  located(node, () => {
    requireArgumentValues(record, args, node);
    return record.infer?.(args);
  });
}

function graphBreakAt(
  node: Node,
  { values: types }: Graph,
  env: Environment,
  numbers: RuntimeScalars,
  { registry, target, handlerContext }: LowerOptions,
): GraphBreak | null {
  if (isControl(node.op)) {
    return { kind: "control", operands: node.args.map(({ arg }) => operandOf(arg, env, node)), node };
  }
  const handler = registry.handlerOf(node.op);
  const record = registry.resolve(node.op);
  if (handler?.compile !== undefined) {
    const given = numbers.fixAll(namedArgs(node, env));
    const args = record === undefined ? given : resolveArgs(record.schema, given, () => describe(node));
    const where = describe(node);
    const made = handler.compile({ op: node.op, name: node.name, args, where }, handlerContext(node));
    const known = { who: "The handler", node, record, types, operand: (name: string) => env.get(name) };
    return {
      kind: "handler",
      run: registry.checks!.requireFunction(made, node),
      args,
      node,
      answers: (returned, given) => registry.checks!.answersOf(returned, { ...known, args: given }),
    };
  }
  if (record?.compute !== undefined && record.decompose === undefined) {
    return computeBreakAt(node, record, types, env, numbers, { registry, target });
  }
  if (record?.dynamic === undefined || record.dynamic === false) return null;
  const args = dynamicArgs(node, record, env, numbers);
  return args === null ? null : { kind: "dynamic", record, args, node };
}

/** Returns the graph break of an op that its record computes in host memory; null where the backend has a kernel. */
function computeBreakAt(
  node: Node,
  record: OpRecord,
  types: Graph["values"],
  env: Environment,
  numbers: RuntimeScalars,
  { registry, target }: Pick<LowerOptions, "registry" | "target">,
): GraphBreak | null {
  const args = resolveArgs(record.schema, numbers.fixAll(namedArgs(node, env)), () => describe(node));
  if (isNativeIfLoaded(target, record.name, args)) return null;
  requireAccepted(record, args, node);
  const known = { who: "The `compute` rule", node, record, types, operand: (name: string) => env.get(name) };
  return {
    kind: "handler",
    run: ({ args: given }) => record.compute!(given),
    args,
    node,
    answers: (returned, given) => registry.checks!.answersOf(returned, { ...known, args: given }),
  };
}

async function noGraphBreak(): Promise<never> {
  throw registryError("registry.rule", { what: "A lowered program was resumed after its end" });
}
