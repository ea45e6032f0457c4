import { definitionsOf, type OpName, type Program, usesOf } from "@pt2/graph";
import { drawsInOrder, GraphBuilder, hasDraws, orderInMemory } from "@pt2/graph/passes";
import { inMemoryOrder } from "../encode/in-memory-order.ts";
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
    const type = isMoved ? builder.typeOf(arg.name) : undefined;
    const order = type?.kind === "tensor" ? orderInMemory(type) : null;
    if (isMoved && order !== null) {
      const self = inMemoryOrder(arg.name, order, builder, { suffix: "drawn", origin: node.origin });
      builder.push({ ...node, args: [{ name: first!.name, arg: self }, ...rest] });
    } else {
      builder.push(node);
    }
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
