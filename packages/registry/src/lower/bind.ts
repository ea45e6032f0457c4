import type { Graph, Node } from "@pt2/graph";
import type { ArgValue } from "../tensor-meta.ts";
import { argValue, type Environment } from "./arguments.ts";

/** Returns the values that a graph returns. */
export function outputsOf(graph: Graph, env: Environment): readonly ArgValue[] {
  const returnNode: Node = { name: "output", op: "return", args: [], outputs: [], origin: {} };
  return graph.outputs.map((arg) => argValue(arg, env, returnNode));
}

/** Assigns values to the node's output names. */
export function bind(node: Node, results: readonly ArgValue[], env: Map<string, ArgValue>): void {
  for (let i = 0; i < node.outputs.length; i++) {
    const output = node.outputs[i]!;
    if (output.kind === "none") continue;
    const result = results[i];
    if (output.kind === "value") {
      env.set(output.name, result ?? null);
      continue;
    }
    // A control flow op returns one list; its results arrive flat.
    const items = Array.isArray(result) ? result : node.outputs.length === 1 ? results : [];
    for (const [k, name] of output.names.entries()) env.set(name, items[k] ?? null);
  }
}
