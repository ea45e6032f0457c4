import { Pt2Error } from "@pt2/format";
import type { Node } from "@pt2/graph";
import { NotLoaded } from "../not-loaded.ts";
import { registryError } from "../registry-errors.ts";
import { describe } from "./arguments.ts";

/**
 * Runs the rules of a node's op, and adds the node to an error. An error without a code is a gap in the checks of a
 * rule: users still see the op and its location, and the error is kept as the cause.
 */
export function located<T>(node: Node, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof NotLoaded) throw error;
    if (!(error instanceof Pt2Error)) {
      throw registryError("registry.internal", {
        what: `The rules of ${node.op} failed: ${error instanceof Error ? error.message : String(error)}`,
        where: describe(node),
        advice: "Report the program: its arguments should have been accepted, or refused with a reason.",
        cause: error,
      });
    }
    if (error.where !== undefined) throw error;
    const { code, what, advice, details } = error;
    throw new Pt2Error(code, { what, where: describe(node), advice, details, cause: error });
  }
}
