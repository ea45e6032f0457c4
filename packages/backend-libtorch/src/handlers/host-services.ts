import type { Graph, Node } from "@pt2/graph";
import type { HandlerTensor } from "@pt2/registry";
import type { Addon } from "../addon.ts";
import type { Router } from "../routes.ts";
import type { HostNode } from "./host-node.ts";

/** What host nodes of one program work with. */
export interface HostServices {
  readonly addon: Addon;
  readonly device: string;
  readonly router: Router;
  /** Value of a weight by the name of its SSA value in the root graph. */
  initial(value: string): HandlerTensor | undefined;
  /** The host node for a node of a graph that JavaScript runs. */
  hostNode(node: Node, graph: Pick<Graph, "values">): HostNode;
  /** The host node for a call that a handler makes; the same for calls that differ in their tensors only. */
  calledNode(node: Node): HostNode;
}
