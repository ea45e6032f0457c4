import type { OpHandler, OpSet } from "@pt2/registry";

/** Op sets and handlers in one value. What it has when it is given to a load is used. */
export interface OpSource {
  /** Op sets, as the option `ops` of a load takes them. */
  readonly ops?: readonly OpSet[];
  /** Handlers, as the option `handlers` of a load takes them. */
  readonly handlers?: readonly OpHandler[];
}
