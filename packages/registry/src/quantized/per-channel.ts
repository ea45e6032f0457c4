import type { DType } from "@pt2/format";
import { check } from "../aten/support/check.ts";
import { wrapDim } from "../aten/support/dims.ts";
import { emit } from "../aten/support/emit.ts";
import type { Builder } from "../builder.ts";
import { defineOp, type OpRecord } from "../op.ts";
import type { TensorMeta } from "../tensor-meta.ts";
import { DECOMPOSED, quantRange } from "./range.ts";
import { checkDtype, clamp, floats, quantize, reciprocal, round } from "./steps.ts";

/** Defines quantization with a scale and a zero point for each index of one dimension. */
export const PER_CHANNEL_OPS: readonly OpRecord[] = [
  defineOp(
    "quantized_decomposed::quantize_per_channel(Tensor input, Tensor scales, Tensor zero_points, int axis, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
    {
      decompose: ({ input, scales, zero_points, axis, quant_min, quant_max, dtype }, b) => {
        const x = floats(b, input);
        const range = quantRange(dtype, quant_min, quant_max, DECOMPOSED);
        const along = channels(b, input, scales, axis);
        return quantize(b, x, reciprocal(b, along(scales)), along(zero_points), range, dtype);
      },
    },
  ),
  defineOp(
    "quantized_decomposed::dequantize_per_channel(Tensor input, Tensor scales, Tensor? zero_points, int axis, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
    {
      decompose: ({ input, scales, zero_points, axis, quant_min, quant_max, dtype, out_dtype }, b) => {
        checkDtype(input, dtype);
        quantRange(dtype, quant_min, quant_max, DECOMPOSED);
        const along = channels(b, input, scales, axis);
        return dequantize(b, input, along(scales), zero_points === null ? null : along(zero_points), out_dtype);
      },
    },
  ),
  defineOp(
    "quantized_decomposed::fake_quant_per_channel(Tensor input, Tensor scales, Tensor zero_points, int axis, int quant_min, int quant_max) -> Tensor",
    {
      decompose: ({ input, scales, zero_points, axis, quant_min, quant_max }, b) => {
        check(
          input.dtype === "float32",
          () => `Expecting input to have dtype torch.float32, but got dtype: torch.${input.dtype}`,
        );
        const e = emit(b);
        const along = channels(b, input, scales, axis);
        const [scale, zero] = [along(e.cast(scales, "float32")), along(e.cast(zero_points, "int32"))];
        const level = e.add(round(b, e.mul(input, reciprocal(b, scale))), zero);
        return e.mul(e.sub(clamp(b, level, quant_min, quant_max), zero), scale);
      },
    },
  ),
];

/** Dequantizes: the difference of integers is an integer, and the scales convert it to floats. */
function dequantize(
  b: Builder,
  input: TensorMeta,
  scale: TensorMeta,
  zero: TensorMeta | null,
  out: DType | null,
): TensorMeta {
  const e = emit(b);
  return e.cast(e.mul(zero === null ? input : e.sub(input, zero), scale), out ?? "float32");
}

/** Reshapes one number per channel so that it broadcasts along the axis of `input`. */
function channels(b: Builder, input: TensorMeta, scales: TensorMeta, axis: number): (x: TensorMeta) => TensorMeta {
  const rank = input.shape.length;
  check(axis < rank, () => `Expecting axis to be < ${rank}`);
  const at = wrapDim(axis, rank);
  check(scales.shape.length > 0, "Expecting scales to have a dimension");
  const shape = input.shape.map((_, d) => (d === at ? scales.shape[0]! : 1));
  return (x) => emit(b).reshape(x, shape);
}
