import type { Comparison } from "@pt2/backend";
import type { Node } from "@pt2/graph";
import { describeNode } from "@pt2/registry";

/** The check of one value. */
export interface NodeCheck {
  readonly value: string;
  readonly node: string;
  readonly op: string;
  readonly where: string;
  /** The module of the node, such as `layers.0.act`; empty for the root module. */
  readonly modulePath: string;
  /** The Python line of the node; null where the file has none. */
  readonly line: string | null;
  readonly comparison: Comparison;
}

/** Creates the check of a value, with what is known about its node. */
export function checkOf(value: string, node: Node, comparison: Comparison): NodeCheck {
  const { modulePath = "", line = null } = node.origin;
  return { value, node: node.name, op: node.op, where: describeNode(node), modulePath, line, comparison };
}
