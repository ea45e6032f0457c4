import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { emit } from "../support/emit.ts";

const QUANTIZED = "int quant_min, int quant_max, float grad_factor=1.";

/** Defines fake quantization whose scale and zero point are floats that training changes. */
export const LEARNABLE_FAKE_QUANTIZE_OPS: readonly OpRecord[] = [
  defineOp(
    `aten::_fake_quantize_learnable_per_tensor_affine(Tensor self, Tensor scale, Tensor zero_point, ${QUANTIZED}) -> Tensor`,
    {
      decompose: ({ self, scale, zero_point, quant_min, quant_max }, b) =>
        b.tensor("aten::fake_quantize_per_tensor_affine.tensor_qparams", {
          self,
          scale: first(scale, b),
          zero_point: roundedZero({ zero_point: first(zero_point, b), quant_min, quant_max }, b),
          quant_min,
          quant_max,
        }),
    },
  ),
  defineOp(
    `aten::_fake_quantize_learnable_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, ${QUANTIZED}) -> Tensor`,
    {
      decompose: ({ self, scale, zero_point, axis, quant_min, quant_max }, b) =>
        b.tensor("aten::fake_quantize_per_channel_affine", {
          self,
          scale,
          zero_point: roundedZero({ zero_point, quant_min, quant_max }, b),
          axis,
          quant_min,
          quant_max,
        }),
    },
  ),
];

/** Returns the only element. */
export function first(x: TensorMeta, b: Builder): TensorMeta {
  check(x.shape.length > 0, "scale and zero point must have one element, and one dimension");
  return emit(b).reshape(emit(b).slice(emit(b).reshape(x, [-1]), 0, 0, 1), []);
}

/** What says where zero is. */
export interface LearnableZero {
  readonly zero_point: TensorMeta;
  readonly quant_min: number;
  readonly quant_max: number;
}

/** Returns the zero point that numbers are quantized with, of each channel: halves go to even. */
export function roundedZero({ zero_point, quant_min, quant_max }: LearnableZero, b: Builder): TensorMeta {
  const rounded = b.tensor("aten::round", { self: zero_point });
  return emit(b).cast(b.tensor("aten::clamp", { self: rounded, min: quant_min, max: quant_max }), "int32");
}
