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

/** Rebuilds the graphs nested in a node. */
export function mapGraphs(node: Node, map: (graph: Graph, name: string) => Graph): Node {
  return mapArgs(node, (leaf) => {
    if (leaf.kind !== "graph") return leaf;
    const graph = map(leaf.graph, leaf.name);
    return graph === leaf.graph ? leaf : { ...leaf, graph };
  });
}

/** Calls `visit` with every argument that is not a list or dict; nested graphs are not entered. */
export function visitArg(arg: Arg, visit: (leaf: Exclude<Arg, { kind: "list" | "dict" }>) => void): void {
  if (arg.kind === "list") for (const item of arg.items) visitArg(item, visit);
  else if (arg.kind === "dict") for (const [, entry] of arg.entries) visitArg(entry, visit);
  else visit(arg);
}

/** Returns the names of the values an argument refers to, in order, with repetitions. */
export function valuesOf(arg: Arg): readonly string[] {
  const names: string[] = [];
  addValues(arg, names);
  return names;
}

/** Avoids closures, because passes call this for every argument. */
function addValues(arg: Arg, to: string[]): void {
  if (arg.kind === "value") to.push(arg.name);
  else if (arg.kind === "list") for (const item of arg.items) addValues(item, to);
  else if (arg.kind === "dict") for (const [, entry] of arg.entries) addValues(entry, to);
}

/** Returns the names of the values a node uses. Nested graphs have no free values: they get all of them as operands. */
export function usesOf(node: Node): readonly string[] {
  const names: string[] = [];
  for (const { arg } of node.args) addValues(arg, names);
  return names;
}

/** Returns the names of the values that one return defines. */
export function namesOf(output: Output): readonly string[] {
  if (output.kind === "none") return [];
  return output.kind === "value" ? [output.name] : output.names;
}

/** Returns the names of the values a node defines. */
export function definitionsOf({ outputs }: Node): readonly string[] {
  return outputs.length === 1 ? namesOf(outputs[0]!) : outputs.flatMap(namesOf);
}

/** Returns the argument of that name, or undefined where it was omitted. */
export function argOf(node: Node, name: string): Arg | undefined {
  return node.args.find((named) => named.name === name)?.arg;
}

/** Returns the graphs nested in a node, in order. */
export function graphsOf(node: Node): readonly (Arg & { readonly kind: "graph" })[] {
  const graphs: (Arg & { readonly kind: "graph" })[] = [];
  for (const { arg } of node.args) {
    visitArg(arg, (leaf) => {
      if (leaf.kind === "graph") graphs.push(leaf);
    });
  }
  return graphs;
}
