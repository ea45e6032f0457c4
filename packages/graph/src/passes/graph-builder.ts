import type { Arg, Graph, NamedArg, Node, NodeOrigin, OpName, ValueType } from "../ir.ts";
import { definitionsOf } from "../query/node-values.ts";

/** A node that a pass creates: one single-valued result per entry of `results`. */
export interface NewNode {
  readonly op: OpName;
  readonly args: readonly NamedArg[];
  /** Preferred names with types; a name that is taken gets a number. */
  readonly results: readonly { readonly name: string; readonly type: ValueType | undefined }[];
  readonly origin: NodeOrigin;
}

/** A graph under construction within one pass, which `build` completes. */
export class GraphBuilder {
  readonly #nodes: Node[] = [];
  readonly #graph: Graph;
  /** Types that were set, also of values of the original graph. */
  readonly #types = new Map<string, ValueType>();
  #taken: Set<string> | undefined;
  /** The next number to try, by preferred name: lower ones are taken. */
  readonly #numbers = new Map<string, number>();

  /** Starts with the inputs of `graph` and no nodes. Names and types of `graph` stay reserved and known. */
  constructor(graph: Graph) {
    this.#graph = graph;
  }

  /** Returns an unused name. */
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

  /** Appends a node unchanged: its names come from the original graph, or from `fresh`. */
  push(node: Node): void {
    this.#nodes.push(node);
  }

  /** Appends a new node and returns the names of its results. */
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

  /** Returns the finished graph, with the types of its values. */
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

/**
 * Returns names of values and of nodes in one set, because a new node may be named after its result. It is computed
 * lazily: most passes create no nodes.
 */
function namesIn(graph: Graph): Set<string> {
  const names = new Set(graph.values.keys());
  for (const node of graph.nodes) {
    names.add(node.name);
    for (const name of definitionsOf(node)) names.add(name);
  }
  return names;
}
