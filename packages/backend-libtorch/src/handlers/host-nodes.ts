import { LruCache } from "@pt2/format";
import type { Graph, Node } from "@pt2/graph";
import type { HandlerTensor } from "@pt2/registry";
import type { Addon } from "../addon.ts";
import { exactJson } from "../exact-json.ts";
import { staticOperands } from "../expand/static-operands.ts";
import type { Router } from "../routes.ts";
import { ExpansionNode } from "./expansion-node.ts";
import { HandlerNode } from "./handler-node.ts";
import { type HostNode, MOST_VARIANTS } from "./host-node.ts";
import type { HostServices } from "./host-services.ts";
import { KernelNode } from "./kernel-node.ts";

/** What host nodes need. */
export interface HostNodesOptions {
  readonly addon: Addon;
  readonly device: string;
  readonly router: Router;
  /** Returns a weight by the name of its SSA value in the root graph. */
  initial(value: string): HandlerTensor | undefined;
}

/** Makes the host nodes of one program and frees what they hold. */
export class HostNodes implements HostServices {
  readonly addon: Addon;
  readonly device: string;
  readonly router: Router;
  readonly initial: HostNodesOptions["initial"];
  readonly #nodes: HostNode[] = [];
  /** Makes the nodes of ops that handlers call; null if these ops run as those of the program do. */
  readonly #callees: HostNodes | null;
  /** The nodes of ops that handlers call, by what their calls have in common. */
  readonly #called = new LruCache<string, HostNode>(MOST_VARIANTS, (node) => node.dispose?.());

  constructor({ addon, device, router, initial }: HostNodesOptions) {
    this.addon = addon;
    this.device = device;
    this.router = router;
    this.initial = initial;
    const callees = router.withoutWildcards;
    this.#callees = callees === router ? null : new HostNodes({ addon, device, router: callees, initial });
  }

  hostNode(node: Node, { values }: Pick<Graph, "values">): HostNode {
    const made = this.#make(node, values);
    this.#nodes.push(made);
    return made;
  }

  calledNode(node: Node): HostNode {
    if (this.#callees !== null) return this.#callees.calledNode(node);
    const key = exactJson([node.op, node.args]);
    return this.#called.get(key, () => this.#make(node, new Map()));
  }

  dispose(): void {
    for (const node of this.#nodes) node.dispose?.();
    this.#called.clear();
    this.#callees?.dispose();
  }

  #make(node: Node, types: Graph["values"]): HostNode {
    const route = this.router.routeOf(node);
    if (route.kind === "kernel") return new KernelNode(node, route.kernel, this, types);
    if (route.kind !== "handler") return new ExpansionNode(node, this, types);
    const made = new HandlerNode(node, route.compile, this, types);
    const operands = staticOperands(node, (name) => types.get(name));
    if (operands !== null) made.prepare(operands);
    return made;
  }
}
