import type { Arg, Graph, Node, Program, TensorType } from "../ir.ts";
import { mapGraphs } from "../query/map-node.ts";
import { namesOf, valuesOf } from "../query/node-values.ts";
import { contiguousStrides, sameSizes } from "../strides.ts";
import { call, toExpr, toSymInt } from "../sym/make-expr.ts";
import { simplify } from "../sym/simplify-expr.ts";
import type { SymInt } from "../sym/sym-expr.ts";
import { GraphBuilder } from "./graph-builder.ts";
import { drawsInOrder } from "./random-draws.ts";

/**
 * Permutes what is filled with random numbers as it lies in PyTorch's memory, for backends whose tensors are contiguous: so
 * dropout of a transposed tensor, or of one with channels last, has PyTorch's mask. It reads the strides that PyTorch recorded.
 */
export function drawInMemoryOrder(program: Program): Program {
  const graph = inOrder(program.graph);
  return graph === program.graph ? program : { ...program, graph };
}

function inOrder(graph: Graph): Graph {
  const builder = new GraphBuilder(graph);
  let changed = false;
  for (const original of graph.nodes) {
    const node = mapGraphs(original, inOrder);
    const drawn = drawsInOrder(node) && permuted(node, builder);
    if (!drawn) builder.push(node);
    changed ||= drawn || node !== original;
  }
  return changed ? builder.build(graph.outputs) : graph;
}

/** Emits a node between two permutations; returns false for one whose results are contiguous. */
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
  const args = [{ name: first.name, arg: inner }, ...rest];
  builder.push({ ...node, name: builder.fresh(node.name), args, outputs });
  const back = order.map((_, d) => order.indexOf(d));
  for (const [i, name] of results.entries()) permute(node, builder, outputs[i]!, back, name, null);
  return true;
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
    args: [
      { name: "self", arg: self },
      { name: "dims", arg: dims },
    ],
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

/** Returns the dimensions of a dense tensor as they lie in memory, the innermost last; null where that is their order, and for others. */
function memoryOrder({ shape, strides }: TensorType): readonly number[] | null {
  if (shape.some((size) => size === 0) || sameSizes(strides, contiguousStrides(shape))) return null;
  const left = shape.map((_, d) => d);
  const order: number[] = [];
  for (let next: SymInt = 1; left.length > 0; ) {
    // Strides of dimensions of size 1 are arbitrary.
    const at: number = left.findLastIndex((d) => shape[d] === 1 || sameSizes([strides[d]!], [next]));
    if (at < 0) return null;
    const [d] = left.splice(at, 1) as [number];
    order.unshift(d);
    next = shape[d] === 1 ? next : toSymInt(simplify(call("Mul", toExpr(next), toExpr(shape[d]!))));
  }
  return order.every((d, i) => d === i) ? null : order;
}
