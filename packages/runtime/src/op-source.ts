import type { OpHandler, OpSet } from "@pt2/registry";

/** Op sets and handlers in one value. What it has when it is given to a load is used. */
export interface OpSource {
  readonly ops?: readonly OpSet[];
  readonly handlers?: readonly OpHandler[];
}
