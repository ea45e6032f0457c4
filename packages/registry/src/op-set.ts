import type { OpRecord } from "./op.ts";

/** A named, versioned list of ops: `aten`, or what an op package ships. Plain data; nothing registers itself. */
export interface OpSet {
  readonly name: string;
  readonly ops: readonly OpRecord[];
  /** Allows it to define ops that an earlier set defines. */
  readonly replace?: boolean;
}
