import type { Arg, Graph, NamedArg, Node, Output } from "../ir.ts";

/** Rebuilds an argument bottom-up; unchanged parts are shared. Nested graphs are not entered. */
export function mapArg(arg: Arg, map: (leaf: Arg) => Arg): Arg {
  if (arg.kind === "list") {
    const items = arg.items.map((item) => mapArg(item, map));
    return map(items.every((item, i) => item === arg.items[i]) ? arg : { kind: "list", items });
  }
  if (arg.kind === "dict") {
    const entries = arg.entries.map(([key, entry]) => [key, mapArg(entry, map)] as const);
    return map(entries.every(([, entry], i) => entry === arg.entries[i]![1]) ? arg : { kind: "dict", entries });
  }
  return map(arg);
}

/** Rebuilds the arguments of a node; a node whose arguments stay the same is returned itself. */
export function mapArgs(node: Node, map: (leaf: Arg) => Arg): Node {
  let args: NamedArg[] | undefined;
  for (let i = 0; i < node.args.length; i++) {
    const { name, arg } = node.args[i]!;
    const mapped = mapArg(arg, map);
    if (mapped === arg) continue;
    args ??= [...node.args];
    args[i] = { name, arg: mapped };
  }
  return args === undefined ? node : { ...node, args };
}

/** Replaces the values that a node uses. */
export function mapValues(node: Node, map: (name: string) => Arg): Node {
  return mapArgs(node, (leaf) => (leaf.kind === "value" ? map(leaf.name) : leaf));
}

/** Renames the values that one return defines. */
export function renameOutput(output: Output, renamed: (name: string) => string): Output {
  if (output.kind === "none") return output;
  if (output.kind === "value") return { kind: "value", name: renamed(output.name) };
  return { kind: "list", names: output.names.map(renamed) };
}

/** Rebuilds the graphs nested in a node. */
export function mapGraphs(node: Node, map: (graph: Graph, name: string) => Graph): Node {
  return mapArgs(node, (leaf) => {
    if (leaf.kind !== "graph") return leaf;
    const graph = map(leaf.graph, leaf.name);
    return graph === leaf.graph ? leaf : { ...leaf, graph };
  });
}
