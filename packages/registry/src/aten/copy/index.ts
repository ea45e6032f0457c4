import type { OpRecord } from "../../op.ts";
import { withComplexRules } from "../pointwise/complex.ts";
import { CAST_OPS } from "./cast.ts";
import { COPY_OPS } from "./copy.ts";

/** Copies and conversions. */
export const COPYING_OPS: readonly OpRecord[] = withComplexRules([...COPY_OPS, ...CAST_OPS]);
