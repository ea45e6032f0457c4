import type { Node } from "@pt2/graph";
import { describe as describeNode } from "../lower/arguments.ts";
import { registryError } from "../registry-errors.ts";

/** The limit of nested handler calls; an endless recursion would fill the memory. */
const DEEPEST = 32;

/** Refuses a call of a handler's function if handlers call each other without end. */
export function requireDepth(depth: number, node: Node): void {
  if (depth < DEEPEST) return;
  throw registryError("registry.limit", {
    what: `The handler of ${node.op} was called inside ${depth} other handlers: they call each other without end`,
    where: describeNode(node),
    advice: `Compute ${node.op} by other ops in the handler's function, not by ${node.op} itself.`,
  });
}
