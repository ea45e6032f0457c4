import type { OpRecord } from "../../op.ts";
import { SCALAR_OPS } from "./scalars.ts";
import { SIZE_OPS } from "./sizes.ts";

/** Numbers: sizes, items, checks. */
export const SYMBOLIC_OPS: readonly OpRecord[] = [...SIZE_OPS, ...SCALAR_OPS];
