import type { OpRecord } from "../../op.ts";
import { MULTI_HEAD_OPS } from "../attention/multi-head.ts";
import { SPACED_OPS } from "../factory/spaced.ts";
import { TRIANGLE_OPS } from "../factory/triangle.ts";
import { MASKED_OPS } from "../index/masked.ts";
import { REPEAT_INTERLEAVE_OPS } from "../index/repeat-interleave.ts";
import { ADDMM_OPS } from "../matmul/addmm.ts";
import { DISTANCE_OPS } from "../matmul/distance.ts";
import { EINSUM_OPS } from "../matmul/einsum.ts";
import { TENSORDOT_OPS } from "../matmul/tensordot.ts";
import { WEIGHT_NORM_OPS } from "../norm/weight-norm.ts";
import { ACTIVATION_COMPOSITE_OPS } from "../pointwise/activation-composite.ts";
import { OPAQUE_OPS } from "../pointwise/opaque.ts";
import { DROPOUT_OPS } from "../random/dropout.ts";
import { EXTREMUM_OPS } from "../reduce/extremum.ts";
import { LOGIC_OPS } from "../reduce/logic.ts";
import { NORM_OPS } from "../reduce/norm.ts";
import { PROD_OPS } from "../reduce/prod.ts";
import { SCAN_OPS } from "../reduce/scan.ts";
import { VARIANCE_OPS } from "../reduce/variance.ts";
import { DIAGONAL_OPS } from "../shape/diagonal.ts";
import { DIFFERENCE_OPS } from "../shape/difference.ts";
import { FLIP_OPS } from "../shape/flip.ts";
import { PAD_OPS } from "../shape/pad.ts";
import { REPEAT_OPS } from "../shape/repeat.ts";
import { RESIZE_OPS } from "../shape/resize.ts";
import { SCATTER_VIEW_OPS } from "../shape/scatter-view.ts";
import { SORT_OPS } from "../sort/sort.ts";
import { COMPLEX_OPS } from "../view/complex.ts";
import { copyVariants } from "../view/copy-variants.ts";
import { REARRANGE_OPS } from "../view/rearrange.ts";

/** Ops that inference programs use now and then. */
export const commonOps: readonly OpRecord[] = [
  ...MULTI_HEAD_OPS,
  ...SPACED_OPS,
  ...TRIANGLE_OPS,
  ...MASKED_OPS,
  ...REPEAT_INTERLEAVE_OPS,
  ...ADDMM_OPS,
  ...DISTANCE_OPS,
  ...EINSUM_OPS,
  ...TENSORDOT_OPS,
  ...WEIGHT_NORM_OPS,
  ...ACTIVATION_COMPOSITE_OPS,
  ...OPAQUE_OPS,
  ...DROPOUT_OPS,
  ...EXTREMUM_OPS,
  ...LOGIC_OPS,
  ...NORM_OPS,
  ...PROD_OPS,
  ...SCAN_OPS,
  ...VARIANCE_OPS,
  ...DIAGONAL_OPS,
  ...DIFFERENCE_OPS,
  ...FLIP_OPS,
  ...PAD_OPS,
  ...REPEAT_OPS,
  ...RESIZE_OPS,
  ...SCATTER_VIEW_OPS,
  ...SORT_OPS,
  ...COMPLEX_OPS,
  ...REARRANGE_OPS,
  ...copyVariants(REARRANGE_OPS),
];
