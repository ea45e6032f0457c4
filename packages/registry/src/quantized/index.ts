import type { OpSet } from "../op-set.ts";
import { AFFINE_OPS } from "./affine.ts";
import { CHOOSE_QPARAMS_OPS } from "./choose-qparams.ts";
import { CONVERT_OPS } from "./convert.ts";
import { FLOAT8_OPS } from "./float8.ts";
import { PER_CHANNEL_OPS } from "./per-channel.ts";
import { PER_TENSOR_OPS } from "./per-tensor.ts";
import { PER_TOKEN_OPS } from "./per-token.ts";

/** What PT2E quantisation writes into programs: integers, their scales and zero points, in ops of Python alone. */
export const quantizedDecomposed: OpSet = {
  name: "quantized_decomposed",
  ops: [...PER_TENSOR_OPS, ...PER_CHANNEL_OPS, ...PER_TOKEN_OPS, ...CHOOSE_QPARAMS_OPS, ...CONVERT_OPS],
};

/** What torchao's `quantize_` writes into programs. libtorch does not have these ops either. */
export const torchao: OpSet = { name: "torchao", ops: [...AFFINE_OPS, ...FLOAT8_OPS] };
