import type { OpSet } from "../op-set.ts";
import { ATTENTION_OPS } from "./attention/index.ts";
import { CONV_OPS } from "./conv/index.ts";
import { COPYING_OPS } from "./copy/index.ts";
import { FACTORY_OPS } from "./factory/index.ts";
import { INDEXING_OPS } from "./index/index.ts";
import { MATMUL_OPS } from "./matmul/index.ts";
import { NORMALIZATION_OPS } from "./norm/index.ts";
import { POINTWISE_OPS } from "./pointwise/index.ts";
import { POOL_OPS } from "./pool/index.ts";
import { DROPOUT_OPS } from "./random/dropout.ts";
import { NOISE_OPS } from "./random/noise.ts";
import { REDUCE_OPS } from "./reduce/index.ts";
import { SHAPE_OPS } from "./shape/index.ts";
import { SYMBOLIC_OPS } from "./symbolic/index.ts";
import { VIEW_OPS } from "./view/index.ts";

/** The families that inference programs are made of. Their decompositions need no others. */
export const commonOps: OpSet = {
  name: "aten",
  ops: [
    ...ATTENTION_OPS,
    ...CONV_OPS,
    ...COPYING_OPS,
    ...DROPOUT_OPS,
    ...FACTORY_OPS,
    ...INDEXING_OPS,
    ...MATMUL_OPS,
    ...NOISE_OPS,
    ...NORMALIZATION_OPS,
    ...POINTWISE_OPS,
    ...POOL_OPS,
    ...REDUCE_OPS,
    ...SHAPE_OPS,
    ...SYMBOLIC_OPS,
    ...VIEW_OPS,
  ],
};
