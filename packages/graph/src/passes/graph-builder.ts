import type { Arg, Graph, NamedArg, Node, NodeOrigin, OpName, ValueType } from "../ir.ts";
import { definitionsOf } from "../query/args.ts";

/** A node that a pass makes: one single-valued result per entry of `results`. */
export interface NewNode {
  readonly op: OpName;
  readonly args: readonly NamedArg[];
  /** Wished names with types; a name that is taken gets a number. */
  readonly results: readonly { readonly name: string; readonly type: ValueType | undefined }[];
  readonly origin: NodeOrigin;
}

/** A graph under construction. It lives inside one pass and ends in `build`. */
export class GraphBuilder {
  readonly #nodes: Node[] = [];
  readonly #graph: Graph;
  /** Types that were set, of values of the graph too. */
  readonly #types = new Map<string, ValueType>();
  #taken: Set<string> | undefined;
  /** The number to try next, by wished name: each was taken up to there. */
  readonly #numbers = new Map<string, number>();

  /** Starts with the inputs of `graph` and no nodes. Names and types of `graph` stay reserved and known. */
  constructor(graph: Graph) {
    this.#graph = graph;
  }

  /** A name that nothing has yet. */
  fresh(base: string): string {
    let name = base;
    let number = this.#numbers.get(base) ?? 1;
    this.#taken ??= namesIn(this.#graph);
    while (this.#taken.has(name)) name = `${base}_${number++}`;
    this.#numbers.set(base, number);
    this.#taken.add(name);
    return name;
  }

  typeOf(name: string): ValueType | undefined {
    return this.#types.get(name) ?? this.#graph.values.get(name);
  }

  setType(name: string, type: ValueType | undefined): void {
    if (type !== undefined) this.#types.set(name, type);
  }

  /** Appends a node as it is: its names come from the graph the builder started with, or from `fresh`. */
  push(node: Node): void {
    this.#nodes.push(node);
  }

  /** Appends a new node and gives the names of its results. */
  emit({ op, args, results, origin }: NewNode): readonly string[] {
    const names = results.map(({ name, type }) => {
      const fresh = this.fresh(name);
      this.setType(fresh, type);
      return fresh;
    });
    const name = names[0] ?? this.fresh(op.slice(op.indexOf("::") + 2).split(".")[0]!);
    this.push({ name, op, args, outputs: names.map((result) => ({ kind: "value", name: result })), origin });
    return names;
  }

  /** The finished graph, with the types of what it defines. */
  build(outputs: readonly Arg[]): Graph {
    const values = new Map<string, ValueType>();
    const { inputs } = this.#graph;
    const defined = [...inputs.filter((name) => name !== null), ...this.#nodes.flatMap(definitionsOf)];
    for (const name of defined) {
      const type = this.typeOf(name);
      if (type !== undefined) values.set(name, type);
    }
    return { inputs, nodes: this.#nodes, outputs, values };
  }
}

/** Names of values and of nodes, in one set: a new node can be named after its result. Most passes make no new ones. */
function namesIn(graph: Graph): Set<string> {
  const names = new Set(graph.values.keys());
  for (const node of graph.nodes) {
    names.add(node.name);
    for (const name of definitionsOf(node)) names.add(name);
  }
  return names;
}
