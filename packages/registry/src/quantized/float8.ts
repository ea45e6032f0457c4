import { check, show } from "../aten/support/check.ts";
import { numel } from "../aten/support/dims.ts";
import { emit } from "../aten/support/emit.ts";
import type { Builder } from "../builder.ts";
import { defineOp, type OpRecord } from "../op.ts";
import type { TensorMeta } from "../tensor-meta.ts";
import { blockCounts, blocksOf } from "./blocks.ts";
import { largestOf } from "./range.ts";
import { clamp, round } from "./steps.ts";

/** Defines torchao's float8 numbers with a scale for each block. */
export const FLOAT8_OPS: readonly OpRecord[] = [
  defineOp(
    "torchao::choose_scale_float8(Tensor tensor, SymInt[] block_size, ScalarType float8_dtype=24, ScalarType scale_dtype=6, float? hp_value_lb=None, float? hp_value_ub=None) -> Tensor",
    {
      decompose: ({ tensor, block_size, float8_dtype, scale_dtype, hp_value_lb, hp_value_ub }, b) => {
        const e = emit(b);
        const blocks = blocksOf(tensor.shape, block_size);
        const largest = e.amax(e.abs(e.reshape(tensor, blocks.shape)), blocks.inner, true);
        const bound = (value: number | null) => (value === null ? null : { float: value });
        const bounded =
          hp_value_lb === null && hp_value_ub === null
            ? largest
            : b.tensor("aten::clamp", { self: largest, min: bound(hp_value_lb), max: bound(hp_value_ub) });
        const scale = e.reshape(
          e.div(bounded, { float: largestOf(float8_dtype) }),
          blockCounts(tensor.shape, block_size),
        );
        if (scale_dtype === "float32") return e.cast(scale, "float32");
        check(scale_dtype === "float8_e8m0fnu", "Only float8_e8m0fnuz is supported");
        const power = round(b, b.tensor("aten::log2", { self: scale }));
        return e.cast(b.tensor("aten::exp2", { self: power }), "float32");
      },
    },
  ),
  defineOp(
    "torchao::quantize_affine_float8_non_decomposed(Tensor tensor, Tensor scale, ScalarType float8_dtype=24) -> Tensor",
    {
      decompose: ({ tensor, scale, float8_dtype }, b) => {
        const e = emit(b);
        const largest = largestOf(float8_dtype);
        const scaled = e.div(e.cast(tensor, "float32"), expanded(b, scale, tensor.shape));
        return e.cast(clamp(b, scaled, -largest, largest), float8_dtype);
      },
    },
  ),
  defineOp(
    "torchao::dequantize_affine_float8_non_decomposed(Tensor tensor, Tensor scale, ScalarType output_dtype=6) -> Tensor",
    {
      decompose: ({ tensor, scale, output_dtype }, b) => {
        const e = emit(b);
        return e.cast(e.mul(e.cast(tensor, "float32"), expanded(b, scale, tensor.shape)), output_dtype);
      },
    },
  ),
];

/** Expands a scale to the shape of the tensor, unless it broadcasts to it. */
function expanded(b: Builder, scale: TensorMeta, shape: readonly number[]): TensorMeta {
  // PyTorch's comparison starts from the front and stops at the end of the shorter shape.
  const broadcasts = scale.shape.every((size, d) => d >= shape.length || size === 1 || size === shape[d]);
  if (numel(scale.shape) === 1 || broadcasts) return scale;
  check(
    scale.shape.length === shape.length,
    () => `Scale tensor has ${scale.shape.length} dimensions but target has ${shape.length}`,
  );
  return scale.shape.reduce((tensor, size, d) => {
    const block = Math.floor(shape[d]! / size);
    check(shape[d] === size * block, () => `The scale's shape ${show(scale.shape)} does not divide ${show(shape)}`);
    return block > 1 ? b.tensor("aten::repeat_interleave.self_int", { self: tensor, repeats: block, dim: d }) : tensor;
  }, scale);
}
