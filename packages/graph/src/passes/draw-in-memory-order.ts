import type { Arg, Graph, NamedArg, Node, OpName, Program, TensorType } from "../ir.ts";
import { mapGraphs } from "../query/map-node.ts";
import { namesOf, valuesOf } from "../query/node-values.ts";
import { contiguousStrides, isContiguous, timesSize } from "../strides.ts";
import { requireProgram } from "../validate/require-program.ts";
import { factoredInOrder, factors } from "./factors-in-memory-order.ts";
import { GraphBuilder } from "./graph-builder.ts";
import { orderInMemory } from "./order-in-memory.ts";
import { drawsInOrder } from "./random-draws.ts";

/** Ops that fill a tensor with normal numbers, which PyTorch draws in blocks where it is contiguous, and one by one elsewhere. */
const NORMAL = /^aten::(randn_like|normal_|normal_functional)$/;

/** Ops that draw in the order of memory, of which the functional variant does not. */
const UNORDERED: OpName = "aten::bernoulli_.float";

/** Chooses by the first of exponential times, which PyTorch draws as the weights lie in memory. */
const CHOOSES: OpName = "aten::multinomial";

/** How tensors of the backend lie in memory: always contiguous, as PyTorch's do, or not known yet. */
export type TensorLayout = "contiguous" | "strided" | "unknown";

/**
 * Permutes what is filled with random numbers as it lies in PyTorch's memory, for backends whose tensors are contiguous: so
 * dropout of a transposed tensor, or of one with channels last, has PyTorch's mask. Normal numbers of what is not contiguous
 * are drawn one by one, and matrices that are not contiguous are factored as they are. It reads the strides that PyTorch recorded. Where tensors lie as PyTorch's, this is only needed for an
 * op that forgets it when it is made functional.
 */
export function drawInMemoryOrder(program: Program, layout: TensorLayout): Program {
  requireProgram("drawInMemoryOrder()", program);
  const graph = inOrder(program.graph, layout);
  return graph === program.graph ? program : { ...program, graph };
}

function inOrder(graph: Graph, layout: TensorLayout): Graph {
  const builder = new GraphBuilder(graph);
  let changed = false;
  for (const original of graph.nodes) {
    const node = mapGraphs(original, (inner) => inOrder(inner, layout));
    const drawn = drawsInOrder(node) && rewritten(node, builder, layout);
    if (!drawn) builder.push(node);
    changed ||= drawn || node !== original;
  }
  return changed ? builder.build(graph.outputs) : graph;
}

/** Emits what draws a node's numbers in the order of memory; returns false if that is the node itself. */
function rewritten(node: Node, builder: GraphBuilder, layout: TensorLayout): boolean {
  const [first] = node.args;
  const input = tensorType(first && valuesOf(first.arg)[0], builder);
  if (factors(node)) return layout === "contiguous" && factoredInOrder(node, builder, input);
  if (node.op === CHOOSES) return layout === "contiguous" && chosenInOrder(node, builder, input);
  // Backends with strided tensors have no op that draws one by one, but those of PyTorch do.
  if (NORMAL.test(node.op)) return layout !== "strided" && drawnInTurn(node, builder, layout);
  return (layout !== "strided" || node.op === UNORDERED) && permuted(node, builder);
}

/** Emits a node between two permutations; returns false for one whose results lie in the order of their dimensions. */
function permuted(node: Node, builder: GraphBuilder): boolean {
  const [first, ...rest] = node.args;
  const results = node.outputs.flatMap(namesOf);
  const input = tensorType(first && valuesOf(first.arg)[0], builder);
  const types = results.map((name) => tensorType(name, builder));
  const order = types[0] && memoryOrder(types[0]);
  if (first === undefined || input === null || order == null || !types.every((type) => type !== null)) return false;
  const inner = permute(node, builder, first.arg, order, builder.fresh("permute"), input);
  const names = results.map((name, i) => {
    const fresh = builder.fresh(name);
    builder.setType(fresh, permutedType(types[i]!, order));
    return fresh;
  });
  const outputs = names.map((name) => ({ kind: "value", name }) as const);
  const args = [{ name: first.name, arg: inner }, ...rest.map((arg) => permutedOdds(node, builder, arg, order))];
  builder.push({ ...node, name: builder.fresh(node.name), args, outputs });
  const back = inverse(order);
  for (const [i, name] of results.entries()) permute(node, builder, outputs[i]!, back, name, null);
  return true;
}

/** Permutes an argument that has a number for each element to draw; it may have fewer dimensions, or be broadcast. */
function permutedOdds(node: Node, builder: GraphBuilder, given: NamedArg, order: readonly number[]): NamedArg {
  let type = tensorType(valuesOf(given.arg)[0], builder);
  if (type === null) return given;
  let { arg } = given;
  while (type.shape.length < order.length) {
    type = {
      ...type,
      shape: [1, ...type.shape],
      strides: [timesSize(type.shape[0] ?? 1, type.strides[0] ?? 1), ...type.strides],
    };
    const name = builder.fresh("unsqueeze");
    builder.setType(name, type);
    const args = [selfArg(arg), { name: "dim", arg: { kind: "int", value: 0 } as const }];
    arg = { kind: "value", name };
    builder.push({ name, op: "aten::unsqueeze", args, outputs: [arg], origin: node.origin });
  }
  return { name: given.name, arg: permute(node, builder, arg, order, builder.fresh("permute"), type) };
}

/** Emits normal numbers that are drawn one by one; returns false where PyTorch draws them by blocks. */
function drawnInTurn(node: Node, builder: GraphBuilder, layout: TensorLayout): boolean {
  const [first] = node.args;
  const [result] = node.outputs.flatMap(namesOf);
  const [input, type] = [tensorType(first && valuesOf(first.arg)[0], builder), tensorType(result, builder)];
  if (first === undefined || result === undefined || input === null || type === null) return false;
  if (!/^(b?float)/.test(type.dtype) || type.shape.some((size) => size === 0) || isContiguous(type)) return false;
  const order = memoryOrder(type) ?? (hasNumbers(type) ? type.shape.map((_, d) => d) : null);
  if (order === null) return false;
  if (layout === "unknown") return drawnWhereItLies(node, builder, first.arg, { order, input, type });
  const self = permute(node, builder, first.arg, order, builder.fresh("permute"), input);
  const drawn = builder.fresh("normal");
  const inMemory = permutedType(type, order);
  builder.setType(drawn, inMemory);
  const given = node.args.filter(({ name }) => name === "mean" || name === "std");
  const dtype = { name: "dtype", arg: { kind: "dtype", value: type.dtype } } as const;
  const value = { kind: "value", name: drawn } as const;
  builder.push({
    name: drawn,
    op: "pt2::normal",
    args: [selfArg(self), ...given, dtype],
    outputs: [value],
    origin: node.origin,
  });
  const writes = node.op.endsWith("_");
  const back = permute(node, builder, value, inverse(order), writes ? builder.fresh("permute") : result, inMemory);
  if (!writes) return true;
  builder.push({ ...node, op: "aten::copy_", args: [selfArg(first.arg), { name: "src", arg: back }] });
  return true;
}

/** Emits the exponential times that samples without replacement are made of; returns false for others. */
function chosenInOrder(node: Node, builder: GraphBuilder, type: TensorType | null): boolean {
  const [first, count] = node.args;
  const order = type && memoryOrder(type);
  const replaces = node.args.some(({ name, arg }) => name === "replacement" && arg.kind === "bool" && arg.value);
  const isOne = count?.arg.kind === "int" && Number(count.arg.value) === 1;
  if (first === undefined || count === undefined || order === null || (replaces && !isOne)) return false;
  const value = { kind: "value", name: builder.fresh("exponential") } as const;
  const inMemory = permutedType(type!, order);
  const self = selfArg(permute(node, builder, first.arg, order, builder.fresh("permute"), type));
  builder.setType(value.name, { ...inMemory, strides: contiguousStrides(inMemory.shape), storageOffset: 0 });
  builder.push({ name: value.name, op: "aten::exponential", args: [self], outputs: [value], origin: node.origin });
  const waits = permute(node, builder, value, inverse(order), builder.fresh("permute"), inMemory);
  builder.push({ ...node, op: "pt2::multinomial", args: [first, { name: "waits", arg: waits }, count] });
  return true;
}

interface Place {
  readonly order: readonly number[];
  readonly input: TensorType;
  readonly type: TensorType;
}

/**
 * Emits the draw of a node for an empty tensor that lies in memory as the node's result does, wherever its argument comes to
 * lie; returns false if that is the order of its dimensions.
 */
function drawnWhereItLies(node: Node, builder: GraphBuilder, given: Arg, { order, input, type }: Place): boolean {
  if (order.every((d, i) => d === i)) return false;
  const push = (op: OpName, args: readonly NamedArg[], made: TensorType, name = builder.fresh(op.slice(6))): Arg => {
    const value = { kind: "value", name } as const;
    builder.setType(name, made);
    builder.push({ name, op, args, outputs: [value], origin: node.origin });
    return value;
  };
  const inMemory = permutedType(input, order);
  const constant = push("aten::detach", [selfArg(given)], input);
  const permuted = permute(node, builder, constant, order, builder.fresh("permute"), input);
  const format = { name: "memory_format", arg: { kind: "memory_format", value: "contiguous_format" } } as const;
  const dense = { ...inMemory, strides: contiguousStrides(inMemory.shape), storageOffset: 0 };
  const empty = push("aten::empty_like", [selfArg(permuted), format], dense);
  const self = selfArg(permute(node, builder, empty, inverse(order), builder.fresh("permute"), dense));
  const rest = node.args.slice(1);
  if (!node.op.endsWith("_")) {
    builder.push({ ...node, args: [self, ...rest] });
    return true;
  }
  const drawn = push("aten::normal_functional", [self, ...rest], type);
  builder.push({ ...node, op: "aten::copy_", args: [selfArg(given), { name: "src", arg: drawn }] });
  return true;
}

function selfArg(arg: Arg): NamedArg {
  return { name: "self", arg };
}

function inverse(order: readonly number[]): readonly number[] {
  return order.map((_, d) => order.indexOf(d));
}

function permute(
  { origin }: Node,
  builder: GraphBuilder,
  self: Arg,
  order: readonly number[],
  name: string,
  type: TensorType | null,
): Arg {
  const dims: Arg = { kind: "list", items: order.map((value) => ({ kind: "int", value })) };
  if (type !== null) builder.setType(name, permutedType(type, order));
  builder.push({
    name,
    op: "aten::permute",
    args: [selfArg(self), { name: "dims", arg: dims }],
    outputs: [{ kind: "value", name }],
    origin,
  });
  return { kind: "value", name };
}

function permutedType(type: TensorType, order: readonly number[]): TensorType {
  return { ...type, shape: order.map((d) => type.shape[d]!), strides: order.map((d) => type.strides[d]!) };
}

function tensorType(name: string | undefined, builder: GraphBuilder): TensorType | null {
  const type = name === undefined ? undefined : builder.typeOf(name);
  return type?.kind === "tensor" ? type : null;
}

/** Returns the dimensions of a tensor as they lie in memory, the innermost last; null where that is their order, or not known. */
function memoryOrder(type: TensorType): readonly number[] | null {
  if (type.shape.some((size) => size === 0) || isContiguous(type)) return null;
  const order = orderInMemory(type) ?? orderOfNumbers(type);
  return order === null || order.every((d, i) => d === i) ? null : order;
}

/** Returns the order of a part of a tensor, such as some of its columns, by strides that are numbers. */
function orderOfNumbers(type: TensorType): readonly number[] | null {
  if (!hasNumbers(type)) return null;
  const { shape, strides } = type;
  const stride = (d: number): number => (shape[d] === 1 ? Number.POSITIVE_INFINITY : Number(strides[d]));
  return shape.map((_, d) => d).sort((a, b) => (stride(a) === stride(b) ? a - b : stride(b) - stride(a)));
}

/** Returns whether all strides that mean something are numbers, and no element is there twice. */
function hasNumbers({ shape, strides }: TensorType): boolean {
  return strides.every((stride, d) => shape[d] === 1 || (typeof stride === "number" && stride > 0));
}
