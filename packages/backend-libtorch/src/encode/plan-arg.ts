import { isBeyondInt64 } from "@pt2/format";
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

/** Python functions that only compare, so that a number beyond what both can be is as good as infinity. */
const COMPARISON = /^_operator::(lt|le|gt|ge|eq|ne)$/;

function infinite(value: bigint): PlanArg {
  return { kind: "float", value: value > 0n ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY };
}

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
    case "int":
      return COMPARISON.test(node.op) && isBeyondInt64(arg.value) ? infinite(arg.value) : arg;
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
