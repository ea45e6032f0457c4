import type { OpRecord } from "../../op.ts";
import { ADDMM_OPS } from "./addmm.ts";
import { DISTANCE_OPS } from "./distance.ts";
import { EINSUM_OPS } from "./einsum.ts";
import { PRODUCT_OPS } from "./product.ts";
import { TENSORDOT_OPS } from "./tensordot.ts";

/** Products of vectors, matrices and tensors, and distances. */
export const MATMUL_OPS: readonly OpRecord[] = [
  ...ADDMM_OPS,
  ...DISTANCE_OPS,
  ...EINSUM_OPS,
  ...PRODUCT_OPS,
  ...TENSORDOT_OPS,
];
