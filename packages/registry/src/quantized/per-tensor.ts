import type { DType } from "@pt2/format";
import { check } from "../aten/support/check.ts";
import { emit, type Operand } from "../aten/support/emit.ts";
import type { Builder } from "../builder.ts";
import { computeDtype } from "../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../op.ts";
import type { TensorMeta } from "../tensor-meta.ts";
import { isTensorMeta } from "../wrapped.ts";
import { DECOMPOSED, quantRange } from "./range.ts";
import { checkDtype, floats, item, quantize, reciprocal } from "./steps.ts";

/**
 * Defines quantization with one scale and one zero point for a whole tensor, as numbers or as tensors of one element.
 */
export const PER_TENSOR_OPS: readonly OpRecord[] = [
  defineOp(
    "quantized_decomposed::quantize_per_tensor(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
    {
      decompose: ({ input, scale, zero_point, quant_min, quant_max, dtype }, b) => {
        const range = quantRange(dtype, quant_min, quant_max, DECOMPOSED);
        check(scale !== 0, "quantize_per_tensor: the scale is 0, and nothing can be divided by it");
        return quantize(b, floats(b, input), { float: 1 / scale }, zero_point, range, dtype);
      },
    },
  ),
  defineOp(
    "quantized_decomposed::quantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
    {
      decompose: ({ input, scale, zero_point, quant_min, quant_max, dtype }, b) => {
        const range = quantRange(dtype, quant_min, quant_max, DECOMPOSED);
        const zero = emit(b).cast(item(b, "zero_point", zero_point), "float32");
        return quantize(b, floats(b, input), inverseOf(b, scale), zero, range, dtype);
      },
    },
  ),
  defineOp(
    "quantized_decomposed::quantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype) -> Tensor",
    {
      decompose: ({ input, scale, zero_point, quant_min, quant_max, dtype }, b) => {
        quantRange(dtype, null, null, DECOMPOSED);
        const e = emit(b);
        const number = (name: string, tensor: TensorMeta): TensorMeta => e.cast(item(b, name, tensor), "float32");
        const scaled = b.tensor("aten::round", { self: e.mul(floats(b, input), inverseOf(b, scale)) });
        const level = e.add(scaled, number("zero_point", zero_point));
        const [min, max] = [number("quant_min", quant_min), number("quant_max", quant_max)];
        return e.cast(b.tensor("aten::clamp.Tensor", { self: level, min, max }), dtype);
      },
    },
  ),
  defineOp(
    "quantized_decomposed::dequantize_per_tensor(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
    {
      decompose: ({ input, scale, zero_point, dtype, out_dtype }, b) =>
        dequantize(b, input, { float: scale }, zero_point, dtype, out_dtype),
    },
  ),
  defineOp(
    "quantized_decomposed::dequantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
    { decompose: (args, b) => dequantizeByTensors(b, args) },
  ),
  defineOp(
    "quantized_decomposed::dequantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
    { decompose: (args, b) => dequantizeByTensors(b, args) },
  ),
];

/** PyTorch computes the reciprocal of a Python number in float64, and multiplies float32 values by it. */
function inverseOf(b: Builder, scale: TensorMeta): TensorMeta {
  const e = emit(b);
  return e.cast(reciprocal(b, e.cast(item(b, "scale", scale), "float64")), "float32");
}

/**
 * Dequantizes with each step in the dtype of the result: half precision is computed in float32, and rounded after each
 * step, but scales are not rounded.
 */
function dequantize(
  b: Builder,
  input: TensorMeta,
  scale: Operand,
  zeroPoint: Operand,
  dtype: DType,
  out: DType | null,
): TensorMeta {
  checkDtype(input, dtype);
  quantRange(dtype, null, null, DECOMPOSED);
  const e = emit(b);
  const result = out ?? "float32";
  const wide = <X extends Operand>(x: X): X | TensorMeta => (isTensorMeta(x) ? e.cast(x, computeDtype(result)) : x);
  const zero = isTensorMeta(zeroPoint) ? e.cast(zeroPoint, result) : e.full([], zeroPoint, result);
  const moved = e.cast(e.sub(wide(e.cast(input, result)), wide(zero)), result);
  return e.cast(e.mul(wide(moved), wide(scale)), result);
}

interface ByTensors {
  readonly input: TensorMeta;
  readonly scale: TensorMeta;
  readonly zero_point: TensorMeta;
  readonly dtype: DType;
  readonly out_dtype: DType | null;
}

function dequantizeByTensors(b: Builder, { input, scale, zero_point, dtype, out_dtype }: ByTensors): TensorMeta {
  return dequantize(b, input, item(b, "scale", scale), item(b, "zero_point", zero_point), dtype, out_dtype);
}
