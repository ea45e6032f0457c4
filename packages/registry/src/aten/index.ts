import type { OpSet } from "../op-set.ts";
import { ATTENTION_OPS } from "./attention/index.ts";
import { GRADIENT_OPS } from "./backward/index.ts";
import { CONV_OPS } from "./conv/index.ts";
import { COPYING_OPS } from "./copy/index.ts";
import { FACTORY_OPS } from "./factory/index.ts";
import { SPECTRAL_OPS } from "./fft/index.ts";
import { INDEXING_OPS } from "./index/index.ts";
import { LINEAR_ALGEBRA_OPS } from "./linalg/index.ts";
import { LOSS_OPS } from "./loss/index.ts";
import { MATMUL_OPS } from "./matmul/index.ts";
import { NORMALIZATION_OPS } from "./norm/index.ts";
import { POINTWISE_OPS } from "./pointwise/index.ts";
import { POOL_OPS } from "./pool/index.ts";
import { RANDOM_OPS } from "./random/index.ts";
import { REDUCE_OPS } from "./reduce/index.ts";
import { RESIZE_OPS } from "./resize/index.ts";
import { RECURRENT_OPS } from "./rnn/index.ts";
import { SHAPE_OPS } from "./shape/index.ts";
import { SORTING_OPS } from "./sort/index.ts";
import { SYMBOLIC_OPS } from "./symbolic/index.ts";
import { VIEW_OPS } from "./view/index.ts";

/** PyTorch's own ops, family by family. */
export const aten: OpSet = {
  name: "aten",
  ops: [
    ...ATTENTION_OPS,
    ...GRADIENT_OPS,
    ...CONV_OPS,
    ...COPYING_OPS,
    ...FACTORY_OPS,
    ...SPECTRAL_OPS,
    ...INDEXING_OPS,
    ...LINEAR_ALGEBRA_OPS,
    ...LOSS_OPS,
    ...MATMUL_OPS,
    ...NORMALIZATION_OPS,
    ...POINTWISE_OPS,
    ...POOL_OPS,
    ...RANDOM_OPS,
    ...REDUCE_OPS,
    ...RESIZE_OPS,
    ...RECURRENT_OPS,
    ...SHAPE_OPS,
    ...SORTING_OPS,
    ...SYMBOLIC_OPS,
    ...VIEW_OPS,
  ],
};
