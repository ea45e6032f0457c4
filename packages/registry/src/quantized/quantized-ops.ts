import type { OpSet } from "../op-set.ts";
import { AFFINE_OPS } from "./affine.ts";
import { CHOOSE_QPARAMS_OPS } from "./choose-qparams.ts";
import { CONVERT_OPS } from "./convert.ts";
import { FLOAT8_OPS } from "./float8.ts";
import { PER_CHANNEL_OPS } from "./per-channel.ts";
import { PER_TENSOR_OPS } from "./per-tensor.ts";
import { PER_TOKEN_OPS } from "./per-token.ts";

/** The ops that PT2E (`quantized_decomposed`) and torchao use in quantized programs. libtorch does not have them. */
export const quantized: OpSet = {
  name: "quantized",
  builtIn: true,
  ops: [
    ...PER_TENSOR_OPS,
    ...PER_CHANNEL_OPS,
    ...PER_TOKEN_OPS,
    ...CHOOSE_QPARAMS_OPS,
    ...CONVERT_OPS,
    ...AFFINE_OPS,
    ...FLOAT8_OPS,
  ],
};
