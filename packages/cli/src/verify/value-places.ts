import { definitionsOf, type Graph, type Node, type Program, walk } from "@pt2/graph";

/** Where a value is defined. */
export interface Place {
  readonly node: Node;
  /** The graph of that node: the program's own, or a nested one. */
  readonly graph: Graph;
}

/** Returns where each value of a program is defined, by name, nested graphs included. */
export function placesOf({ graph }: Program): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  walk(graph, (node, within) => {
    for (const name of definitionsOf(node)) places.set(name, { node, graph: within });
  });
  return places;
}

/** Returns the inputs of a program's graphs, nested ones included. */
export function placeholdersOf({ graph }: Program): ReadonlySet<string> {
  const names = new Set(graph.inputs.filter((name) => name !== null));
  walk(graph, (_, { inputs }) => {
    for (const name of inputs) if (name !== null) names.add(name);
  });
  return names;
}

/** Returns the name without the number that marks the later runs of a loop's body: `add#2`. */
export function withoutTurn(name: string): string {
  return name.replace(/#\d+$/, "");
}

/** Returns that number with its mark, `#2`; empty in the first run. */
export function turnOf(name: string): string {
  return name.slice(withoutTurn(name).length);
}
