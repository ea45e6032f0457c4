import type { Graph, Node } from "@pt2/graph";
import type { HandlerTensor } from "@pt2/registry";
import type { Addon } from "../addon.ts";
import type { Router } from "../routes.ts";
import type { HostNode } from "./host-node.ts";

/** What the host nodes of one program share. */
export interface HostServices {
  readonly addon: Addon;
  readonly device: string;
  readonly router: Router;
  /** Returns a weight by the name of its SSA value in the root graph. */
  initial(value: string): HandlerTensor | undefined;
  /** Returns the host node for a node of a graph that JavaScript runs. */
  hostNode(node: Node, graph: Pick<Graph, "values">): HostNode;
  /**
   * Returns the host node for a call that a handler makes; calls that differ in their tensors only have the same one.
   */
  calledNode(node: Node): HostNode;
}
