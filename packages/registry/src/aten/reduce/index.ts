import type { OpRecord } from "../../op.ts";
import { EXTREMUM_OPS } from "./extremum.ts";
import { LOGIC_OPS } from "./logic.ts";
import { NORM_OPS } from "./norm.ts";
import { SCAN_OPS } from "./scan.ts";
import { SOFTMAX_OPS } from "./softmax.ts";
import { SUM_OPS } from "./sum.ts";
import { VARIANCE_OPS } from "./variance.ts";

/** Ops that fold dimensions away, and running totals. */
export const REDUCE_OPS: readonly OpRecord[] = [
  ...EXTREMUM_OPS,
  ...LOGIC_OPS,
  ...NORM_OPS,
  ...SCAN_OPS,
  ...SOFTMAX_OPS,
  ...SUM_OPS,
  ...VARIANCE_OPS,
];
