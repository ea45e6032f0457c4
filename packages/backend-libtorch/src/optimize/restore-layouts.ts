import {
  type Arg,
  definitionsOf,
  graphsOf,
  type Node,
  type OpName,
  type Program,
  type TensorType,
  usesOf,
  type ValueType,
} from "@pt2/graph";
import { GraphBuilder, mapValues, orderInMemory } from "@pt2/graph/passes";
import { inMemoryOrder } from "../encode/in-memory-order.ts";
import { isOwnOp, type OptimizeTarget } from "./target.ts";

/** Ops that return channels-last tensors, whatever the layout of their arguments. */
const SOURCES: ReadonlySet<OpName> = new Set([
  "mkldnn::_convolution_pointwise",
  "mkldnn::_convolution_pointwise.binary",
  "pt2::depthwise_conv2d",
  "pt2::conv1x1",
  "pt2::preactivated_conv1x1",
  "pt2::direct_conv2d",
  "pt2::winograd_conv2d",
  "pt2::depthwise_conv3d",
  "pt2::direct_conv3d",
  "pt2::winograd_conv3d",
  "pt2::transposed_conv",
  "pt2::squeeze_excite",
  "pt2::group_norm",
  "pt2::max_pool2d",
  "pt2::max_pool3d",
  "pt2::avg_pool2d",
  "pt2::global_average_pool",
]);

/** Ops that return tensors in an order of their own. */
const REORDERING: ReadonlySet<OpName> = new Set([...SOURCES, "pt2::attention"]);

/** Ops that return rows one after the other, as the ops that they replace do, whatever the layout of their arguments. */
const ROW_MAJOR: ReadonlySet<OpName> = new Set(
  ["linear", "linear_3xtf32", "linear_half", "linear_int8", "matmul"].map((name) => `pt2::${name}`),
);

/** Returns whether an op of this package returns rows one after the other, as the ops that it replaces do. */
export function isRowMajor(op: OpName): boolean {
  return ROW_MAJOR.has(op);
}

/** Returns whether an op returns a channels-last tensor. */
export function isChannelsLastSource(op: OpName): boolean {
  return SOURCES.has(op);
}

/** Ops of PyTorch whose results depend on strides. */
const STRIDE_READERS: ReadonlySet<OpName> = new Set([
  "aten::as_strided",
  "aten::as_strided_copy",
  "aten::_reshape_alias",
  "aten::view_as_complex",
  "aten::view_as_real",
  "aten::view.dtype",
  "aten::stride.int",
  "aten::sym_stride.int",
]);

/** Returns the values that may lie in memory otherwise than the file says. */
export function foreignLayouts({ graph }: Program, target: OptimizeTarget): ReadonlySet<string> {
  const foreign = new Set<string>();
  for (const node of graph.nodes) {
    if (ROW_MAJOR.has(node.op)) continue;
    // Before a node that reads strides, single tensors are restored.
    const restores = readsStrides(node, target);
    const isRead = (name: string): boolean => foreign.has(name) && !(restores && isTensor(graph.values.get(name)));
    if (!REORDERING.has(node.op) && !usesOf(node).some(isRead)) continue;
    for (const name of definitionsOf(node)) foreign.add(name);
  }
  return foreign;
}

/**
 * Gives tensors the layout that the file records wherever it is visible: in the results of the program, before ops that
 * depend on strides, before ops that are not PyTorch's own, and before nested graphs.
 */
export function restoreLayouts(program: Program, target: OptimizeTarget): Program {
  const { graph } = program;
  if (!graph.nodes.some(({ op }) => REORDERING.has(op))) return program;
  const builder = new GraphBuilder(graph);
  const foreign = foreignLayouts(program, target);
  const restored = new Map<string, Arg>();
  const restore = (name: string): Arg => {
    const type = builder.typeOf(name);
    const known = restored.get(name);
    if (known !== undefined) return known;
    if (!foreign.has(name) || !isTensor(type)) return { kind: "value", name };
    const order = orderInMemory(type) ?? type.shape.map((_, d) => d);
    const arg = inMemoryOrder(name, order, builder, { suffix: "restored", origin: {} });
    restored.set(name, arg);
    return arg;
  };
  for (const node of graph.nodes) {
    builder.push(readsStrides(node, target) ? mapValues(node, restore) : node);
  }
  const outputs = graph.outputs.map((arg) => (arg.kind === "value" ? restore(arg.name) : arg));
  return { ...program, graph: builder.build(outputs) };
}

function isTensor(type: ValueType | undefined): type is TensorType {
  return type?.kind === "tensor";
}

/** Returns whether a node may depend on the strides of its arguments. */
export function readsStrides(node: Node, target: OptimizeTarget): boolean {
  if (STRIDE_READERS.has(node.op) || target.isClaimed(node.op) || graphsOf(node).length > 0) return true;
  return !node.op.startsWith("aten::") && !node.op.startsWith("_operator::") && !isOwnOp(node.op);
}
