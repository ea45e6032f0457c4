import { type Arg, definitionsOf, type Node, type OpName, type Program, type TensorType, usesOf } from "@pt2/graph";
import { drawsInOrder, GraphBuilder, hasDraws, orderInMemory } from "@pt2/graph/passes";
import { isRowMajor } from "./restore-layouts.ts";

/** Ops of PyTorch that return rows one after the other, whatever the layout of their arguments. */
const PRODUCTS: ReadonlySet<OpName> = new Set(
  ["linear", "mm", "addmm", "bmm", "baddbmm"].map((name) => `aten::${name}`),
);

/**
 * Gives what random numbers are drawn for the layout that the file records: they are drawn in the order of memory, and the
 * other passes keep elements, but not where these are. Where nothing that decides about it has been rewritten, a tensor lies
 * as PyTorch's without that. `before` is the program that the passes were given.
 */
export function restoreDrawn(program: Program, before: Program): Program {
  const { graph } = program;
  if (graph === before.graph || !hasDraws(graph)) return program;
  const builder = new GraphBuilder(graph);
  const moved = rewritten(program, before);
  for (const node of graph.nodes) {
    const [first, ...rest] = node.args;
    const arg = first?.arg;
    const isMoved = drawsInOrder(node) && arg?.kind === "value" && moved.has(arg.name);
    const self = isMoved ? restored(node, arg, builder) : null;
    builder.push(self === null ? node : { ...node, args: [{ name: first!.name, arg: self }, ...rest] });
  }
  return { ...program, graph: builder.build(graph.outputs) };
}

/** Returns the values whose layout depends on a node that the program of before does not have. */
function rewritten({ graph }: Program, before: Program): ReadonlySet<string> {
  const old = new Set(before.graph.nodes);
  const found = new Set<string>();
  for (const node of graph.nodes) {
    if (PRODUCTS.has(node.op) || isRowMajor(node.op)) continue;
    if (old.has(node) && !usesOf(node).some((name) => found.has(name))) continue;
    for (const name of definitionsOf(node)) found.add(name);
  }
  return found;
}

/** Emits the copy of a value that lies as recorded; null where that is not known. */
function restored({ origin }: Node, self: Arg & { readonly kind: "value" }, builder: GraphBuilder): Arg | null {
  const type = builder.typeOf(self.name);
  if (type?.kind !== "tensor") return null;
  const order = orderInMemory(type);
  if (order === null) return null;
  const emit = (op: OpName, given: Arg, name: string, arg: Arg, made: TensorType): Arg => {
    const result = builder.fresh(`${self.name}_drawn`);
    builder.setType(result, made);
    const value = { kind: "value", name: result } as const;
    const args = [
      { name: "self", arg: given },
      { name, arg },
    ];
    builder.push({ name: result, op, args, outputs: [value], origin });
    return value;
  };
  const permute = (given: Arg, dims: readonly number[], made: TensorType): Arg => {
    if (dims.every((dim, i) => dim === i)) return given;
    return emit(
      "aten::permute",
      given,
      "dims",
      { kind: "list", items: dims.map((value) => ({ kind: "int", value })) },
      made,
    );
  };
  const inMemory = { ...type, shape: order.map((d) => type.shape[d]!), strides: order.map((d) => type.strides[d]!) };
  const format: Arg = { kind: "memory_format", value: "contiguous_format" };
  const dense = emit("aten::contiguous", permute(self, order, inMemory), "memory_format", format, inMemory);
  return permute(
    dense,
    order.map((_, d) => order.indexOf(d)),
    type,
  );
}
