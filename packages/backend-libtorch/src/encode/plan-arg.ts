import type { Arg, Graph, Node } from "@pt2/graph";
import { describeNode } from "@pt2/registry";
import type { PlanArg } from "../addon.ts";
import { libtorchError } from "../libtorch-errors.ts";

/** What arguments refer to. */
export interface ArgScope {
  /** Returns the slot of a value; null for a value that does not exist here, such as an effect token. */
  slotOf(name: string): number | null;
  graphIndex(graph: Graph): number;
  /** The device of every tensor, whichever device the file names. */
  readonly device: string;
}

const NONE: PlanArg = { kind: "none" };

/** Converts an argument to one of the native module. */
export function planArg(arg: Arg, scope: ArgScope, node: Node): PlanArg {
  switch (arg.kind) {
    case "value": {
      const slot = scope.slotOf(arg.name);
      return slot === null ? NONE : { kind: "slot", slot };
    }
    case "list":
      return { kind: "list", items: arg.items.map((item) => planArg(item, scope, node)) };
    case "graph":
      return { kind: "graph", graph: scope.graphIndex(arg.graph) };
    case "device":
      // A meta tensor has no memory; every other tensor is on the program's device.
      return { kind: "device", value: arg.value.type === "meta" ? "meta" : scope.device };
    case "operator":
      return { kind: "string", value: arg.op };
    case "dict":
      throw libtorchError("libtorch.encode", {
        what: `An argument of kind ${arg.kind} cannot be given to ${node.op}`,
        where: describeNode(node),
        advice: "Export with run_decompositions(), or register a handler for this op.",
      });
    default:
      return arg;
  }
}
