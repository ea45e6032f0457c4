import type { OpRecord } from "../../op.ts";
import { MEDIAN_OPS } from "./median.ts";
import { QUANTILE_OPS } from "./quantile.ts";
import { SORT_OPS } from "./sort.ts";

/** Order statistics. */
export const SORTING_OPS: readonly OpRecord[] = [...MEDIAN_OPS, ...QUANTILE_OPS, ...SORT_OPS];
