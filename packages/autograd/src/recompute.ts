import { definitionsOf, type Graph, graphsOf, type Node, usesOf, type ValueType } from "@pt2/graph";
import { GraphBuilder, mapValues } from "@pt2/graph/passes";
import type { OpRegistry } from "@pt2/registry";

/** Where the backward part of a graph reads a value: positions of nodes. */
interface Reads {
  first: number;
  last: number;
}

/** A forward node that is computed again, before the backward node at `at`. */
interface Again {
  readonly node: Node;
  readonly at: number;
}

/**
 * Computes cheap results of the forward part again where the backward part first reads them, instead of keeping them
 * until then: those of elementwise ops and views of what is kept until then anyway, because it is an input or is read
 * later still. So each costs a pass over memory, and nothing is kept for it: of an activation only what its gradient
 * reads remains, not the result too that the next layer's gradient reads.
 *
 * The first `forward` nodes are the forward part.
 */
export function recompute(graph: Graph, forward: number, registry: Pick<OpRegistry, "resolve">): Graph {
  const chosen = choose(graph, forward, registry);
  if (chosen.length === 0) return graph;
  const before = new Map<number, Node[]>();
  // Those that others read were chosen after them.
  for (const { node, at } of chosen.toReversed()) before.set(at, [...(before.get(at) ?? []), node]);
  const builder = new GraphBuilder(graph);
  const renamed = new Map<string, string>();
  const current = (node: Node): Node => mapValues(node, (name) => ({ kind: "value", name: renamed.get(name) ?? name }));
  for (const [i, node] of graph.nodes.entries()) {
    for (const one of before.get(i) ?? []) {
      const again = current(one);
      const names = definitionsOf(one).map((name) => {
        const fresh = builder.fresh(`${name}_again`);
        builder.setType(fresh, graph.values.get(name));
        renamed.set(name, fresh);
        return fresh;
      });
      builder.push({ ...again, name: names[0]!, outputs: [{ kind: "value", name: names[0]! }] });
    }
    builder.push(i < forward ? node : current(node));
  }
  return builder.build(graph.outputs);
}

/** So many nodes may be computed again for one that is read. */
const MAX_CHAIN = 4;

/** Returns what is computed again, later nodes of the forward part first. */
function choose(graph: Graph, forward: number, registry: Pick<OpRegistry, "resolve">): readonly Again[] {
  const { nodes } = graph;
  const reads = backwardReads(graph, forward);
  const inputs = new Set(graph.inputs);
  const compared = comparedValues(graph, forward, registry);
  const cheap = new Map<string, Node>();
  for (const node of nodes.slice(0, forward)) {
    const [output] = node.outputs;
    if (node.outputs.length !== 1 || output?.kind !== "value" || compared.has(output.name)) continue;
    // A mask is small, and has to be the one that the forward part chose by.
    if (isCheap(node, registry) && !isMask(graph.values.get(output.name))) cheap.set(output.name, node);
  }
  /** Whether a value is there at `at`, or can be computed there from what is. */
  const isThere = (name: string, at: number, depth: number): boolean =>
    inputs.has(name) || (reads.get(name)?.last ?? -1) >= at || isComputable(cheap.get(name), at, depth - 1);
  const isComputable = (node: Node | undefined, at: number, depth: number): boolean =>
    node !== undefined && depth > 0 && usesOf(node).every((name) => isThere(name, at, depth));
  const chosen: Again[] = [];
  for (const [name, node] of [...cheap].reverse()) {
    const read = reads.get(name);
    if (read === undefined || read.last === Number.POSITIVE_INFINITY) continue;
    const at = read.first;
    if (!isComputable(node, at, MAX_CHAIN)) continue;
    for (const operand of usesOf(node)) note(reads, operand, at);
    chosen.push({ node, at });
  }
  return chosen;
}

/**
 * Returns the values that the backward part compares, or from which elementwise ops compute what it compares. A backend
 * may fuse an op with others, so that its results differ in the last bit where they are computed again; the gradient of
 * a maximum asks which elements are exactly that.
 */
function comparedValues(graph: Graph, forward: number, registry: Pick<OpRegistry, "resolve">): ReadonlySet<string> {
  const compared = new Set<string>();
  for (const node of graph.nodes.slice(forward).reverse()) {
    const results = definitionsOf(node);
    const isComparison = results.some((name) => isMask(graph.values.get(name)));
    if (!isComparison && !(isCheap(node, registry) && results.some((name) => compared.has(name)))) continue;
    for (const name of usesOf(node)) compared.add(name);
  }
  return compared;
}

function backwardReads({ nodes, outputs }: Graph, forward: number): Map<string, Reads> {
  const reads = new Map<string, Reads>();
  for (let i = forward; i < nodes.length; i++) for (const name of usesOf(nodes[i]!)) note(reads, name, i);
  // What the program returns is kept to the end.
  for (const arg of outputs) {
    for (const one of arg.kind === "list" ? arg.items : [arg]) {
      if (one.kind === "value") note(reads, one.name, Number.POSITIVE_INFINITY);
    }
  }
  return reads;
}

function note(reads: Map<string, Reads>, name: string, at: number): void {
  const known = reads.get(name);
  if (known === undefined) reads.set(name, { first: at, last: at });
  else {
    known.first = Math.min(known.first, at);
    known.last = Math.max(known.last, at);
  }
}

function isMask(type: ValueType | undefined): boolean {
  return type?.kind === "tensor" && type.dtype === "bool";
}

function isCheap(node: Node, registry: Pick<OpRegistry, "resolve">): boolean {
  const record = registry.resolve(node.op);
  if (record === undefined || record.impure === true || graphsOf(node).length > 0) return false;
  return (record.scalar !== undefined || record.view !== undefined) && usesOf(node).length > 0;
}
