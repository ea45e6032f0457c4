import type { OpSet } from "../op-set.ts";
import { GRADIENT_OPS } from "./backward/index.ts";
import { COLUMN_OPS } from "./conv/column.ts";
import { WINDOW_OPS } from "./factory/window.ts";
import { SPECTRAL_OPS } from "./fft/index.ts";
import { HISTOGRAM_OPS } from "./index/histogram.ts";
import { SEARCH_OPS } from "./index/search.ts";
import { SEGMENT_OPS } from "./index/segment.ts";
import { UNIQUE_OPS } from "./index/unique.ts";
import { LINEAR_ALGEBRA_OPS } from "./linalg/index.ts";
import { LOSS_OPS } from "./loss/index.ts";
import { GROUPED_OPS } from "./matmul/grouped.ts";
import { MOMENT_OPS } from "./matmul/moments.ts";
import { WEIGHT_NORM_OPS } from "./norm/weight-norm.ts";
import { FAKE_QUANTIZE_OPS } from "./pointwise/fake-quantize.ts";
import { RANDOM_OPS } from "./random/index.ts";
import { RESIZE_OPS } from "./resize/index.ts";
import { RECURRENT_OPS } from "./rnn/index.ts";
import { GRADIENT_ESTIMATE_OPS } from "./shape/gradient.ts";
import { TRAPEZOID_OPS } from "./shape/trapezoid.ts";
import { SORTING_OPS } from "./sort/index.ts";

/** Families, and members of common families, that few inference programs need; they lead to common ones too. */
export const uncommonOps: OpSet = {
  name: "aten",
  ops: [
    ...GRADIENT_OPS,
    ...SPECTRAL_OPS,
    ...GROUPED_OPS,
    ...LINEAR_ALGEBRA_OPS,
    ...LOSS_OPS,
    ...RANDOM_OPS,
    ...RESIZE_OPS,
    ...RECURRENT_OPS,
    ...SORTING_OPS,
    ...COLUMN_OPS,
    ...WINDOW_OPS,
    ...HISTOGRAM_OPS,
    ...SEARCH_OPS,
    ...SEGMENT_OPS,
    ...UNIQUE_OPS,
    ...MOMENT_OPS,
    ...WEIGHT_NORM_OPS,
    ...FAKE_QUANTIZE_OPS,
    ...GRADIENT_ESTIMATE_OPS,
    ...TRAPEZOID_OPS,
  ],
};
