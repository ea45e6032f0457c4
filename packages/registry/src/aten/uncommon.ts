import type { OpSet } from "../op-set.ts";
import { GRADIENT_OPS } from "./backward/index.ts";
import { SPECTRAL_OPS } from "./fft/index.ts";
import { LINEAR_ALGEBRA_OPS } from "./linalg/index.ts";
import { LOSS_OPS } from "./loss/index.ts";
import { GROUPED_OPS } from "./matmul/grouped.ts";
import { RANDOM_OPS } from "./random/index.ts";
import { RESIZE_OPS } from "./resize/index.ts";
import { RECURRENT_OPS } from "./rnn/index.ts";
import { SORTING_OPS } from "./sort/index.ts";

/** The families that few inference programs need; their decompositions lead to common ones too. */
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
  ],
};
