import { check, show } from "../aten/support/check.ts";
import { numel } from "../aten/support/dims.ts";
import { emit } from "../aten/support/emit.ts";
import type { Builder } from "../builder.ts";
import { defineOp, type OpRecord } from "../op.ts";
import type { TensorMeta } from "../tensor-meta.ts";
import { DECOMPOSED, quantRange } from "./range.ts";
import { clamp, reciprocal, round } from "./steps.ts";

/**
 * Defines quantization with a scale and a zero point for each row, or for each group of a row. The zero point is added
 * before rounding.
 */
export const PER_TOKEN_OPS: readonly OpRecord[] = [
  defineOp(
    "quantized_decomposed::quantize_per_token(Tensor input, Tensor scales, Tensor zero_points, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
    {
      decompose: ({ input, scales, zero_points, quant_min, quant_max, dtype }, b) => {
        const range = quantRange(dtype, quant_min, quant_max, DECOMPOSED);
        for (const qparams of [scales, zero_points]) checkTokens(input, qparams);
        return emit(b).cast(levels(b, input, scales, zero_points, range), dtype);
      },
    },
  ),
  defineOp(
    "quantized_decomposed::dequantize_per_token(Tensor input, Tensor scales, Tensor zero_points, int quant_min, int quant_max, ScalarType dtype, ScalarType output_dtype) -> Tensor",
    {
      decompose: ({ input, scales, zero_points, output_dtype }, b) => {
        const e = emit(b);
        return e.cast(e.mul(e.sub(input, zero_points), scales), output_dtype);
      },
    },
  ),
  defineOp(
    "quantized_decomposed::quantize_per_channel_group(Tensor input, Tensor scales, Tensor zero_points, int quant_min, int quant_max, ScalarType dtype, int group_size) -> Tensor",
    {
      decompose: ({ input, scales, zero_points, quant_min, quant_max, dtype, group_size }, b) => {
        const e = emit(b);
        const rows = groups(b, input, scales, group_size);
        const [scale, zero] = [e.reshape(scales, [-1, 1]), e.reshape(zero_points, [-1, 1])];
        return e.reshape(e.cast(levels(b, rows, scale, zero, [quant_min, quant_max]), dtype), input.shape);
      },
    },
  ),
  defineOp(
    "quantized_decomposed::dequantize_per_channel_group(Tensor input, Tensor scales, Tensor? zero_points, int quant_min, int quant_max, ScalarType dtype, int group_size, ScalarType output_dtype) -> Tensor",
    {
      decompose: ({ input, scales, zero_points, group_size, output_dtype }, b) => {
        const e = emit(b);
        const rows = groups(b, input, scales, group_size);
        const zero = zero_points === null ? e.full([], 0, "int32") : e.reshape(zero_points, [-1, 1]);
        const values = e.mul(e.sub(rows, zero), e.reshape(scales, [-1, 1]));
        return e.cast(e.reshape(values, input.shape), output_dtype);
      },
    },
  ),
];

/** Computes `clamp(round(x / scale + zero_point))`, in the dtype that the operands promote to. */
function levels(
  b: Builder,
  x: TensorMeta,
  scale: TensorMeta,
  zero: TensorMeta,
  [min, max]: readonly [number, number],
): TensorMeta {
  const e = emit(b);
  return clamp(b, round(b, e.add(e.mul(x, reciprocal(b, scale)), zero)), min, max);
}

function checkTokens(input: TensorMeta, qparams: TensorMeta): void {
  const tokens = numel(input.shape.slice(0, -1));
  check(tokens === numel(qparams.shape), () => `num_tokens: ${tokens} scales: ${show(qparams.shape)}`);
}

/** Reshapes to a matrix with one group per row. */
function groups(b: Builder, input: TensorMeta, scales: TensorMeta, groupSize: number): TensorMeta {
  check(groupSize > 1, "group_size must be > 1");
  check(input.shape.length === 2, "input must be 2-dimensional");
  const width = input.shape[1]!;
  const size = groupSize > width && scales.shape.at(-1) === 1 ? width : groupSize;
  check(width % size === 0, "input.shape[-1] must be divisible by group_size");
  return emit(b).reshape(input, [-1, size]);
}
