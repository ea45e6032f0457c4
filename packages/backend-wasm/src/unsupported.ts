import type { UnsupportedOp } from "@pt2/backend";
import type { Program } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";

/** Ops without kernel or decomposition. */
export function findUnsupported(_program: Program, _registry: OpRegistry): readonly UnsupportedOp[] {
  return [];
}
