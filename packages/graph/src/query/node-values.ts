import type { Arg, Node, Output } from "../ir.ts";

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
