import { type Graph, graphsOf, type Program, walk } from "@pt2/graph";

/** Every graph of a program with its name: the program itself, and the branches and bodies nested in it. */
export function graphsIn({ graph }: Program): readonly (readonly [name: string, graph: Graph])[] {
  const found: (readonly [string, Graph])[] = [["program", graph]];
  walk(graph, (node, _, path) => {
    for (const nested of graphsOf(node)) found.push([[...path, node.name, nested.name].join(" › "), nested.graph]);
  });
  return found;
}
