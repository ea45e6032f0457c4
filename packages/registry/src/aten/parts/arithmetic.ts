import type { OpRecord } from "../../op.ts";
import { CAST_OPS } from "../copy/cast.ts";
import { FILL_OPS } from "../factory/fill.ts";
import { MATMUL_OPS } from "../matmul/matmul.ts";
import { COMPARE_OPS } from "../pointwise/compare.ts";
import { LOGICAL_OPS } from "../pointwise/logical.ts";
import { POWER_OPS } from "../pointwise/power.ts";
import { SOFTMAX_OPS } from "../reduce/softmax.ts";

/** Products, powers, comparisons, conversions and constants: what gradients and transformers have in common. */
export const arithmeticOps: readonly OpRecord[] = [
  ...CAST_OPS,
  ...FILL_OPS,
  ...MATMUL_OPS,
  ...COMPARE_OPS,
  ...LOGICAL_OPS,
  ...POWER_OPS,
  ...SOFTMAX_OPS,
];
