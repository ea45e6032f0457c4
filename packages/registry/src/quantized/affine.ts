import { check } from "../aten/support/check.ts";
import { numel } from "../aten/support/dims.ts";
import { toNumber } from "../aten/support/dtypes.ts";
import { emit } from "../aten/support/emit.ts";
import type { Builder } from "../builder.ts";
import { defineOp, type OpRecord } from "../op.ts";
import type { Scalar, TensorMeta } from "../tensor-meta.ts";
import { blockCounts, blocksOf, perBlock } from "./blocks.ts";
import { withZero } from "./choose-qparams.ts";
import { quantRange, TORCHAO } from "./range.ts";
import { checkDtype, clamp, quantize, reciprocal, round } from "./steps.ts";

/** The smallest normal numbers, which bound scales from below. */
const TINY: Readonly<Record<string, number>> = { float32: 2 ** -126, float16: 2 ** -14, bfloat16: 2 ** -126 };

/**
 * Defines torchao's integers with a scale and a zero point for each block of a tensor: a row, a column, a group, or the
 * whole.
 */
export const AFFINE_OPS: readonly OpRecord[] = [
  defineOp(
    "torchao::choose_qparams_affine(Tensor? input, str mapping_type, SymInt[] block_size, ScalarType target_dtype, Scalar? quant_min=None, Scalar? quant_max=None, float? eps=None, ScalarType? scale_dtype=None, ScalarType? zero_point_dtype=None, bool keepdim=False) -> (Tensor, Tensor)",
    {
      decompose: (args, b) => {
        const { input, mapping_type, block_size, keepdim, scale_dtype, zero_point_dtype } = args;
        check(input !== null, "choose_qparams_affine needs an input");
        const range = rangeOf(args.target_dtype, args.quant_min, args.quant_max);
        checkFloat("input", input);
        const blocks = blocksOf(input.shape, block_size);
        const e = emit(b);
        const x = e.reshape(input, blocks.shape);
        const least = b.tensor("aten::amin", { self: x, dim: blocks.inner, keepdim });
        const ends = withZero(b, least, e.amax(x, blocks.inner, keepdim));
        const choose = CHOICES[mapping_type];
        check(choose !== undefined, () => `Unsupported mapping type: ${mapping_type}`);
        const [scale, zero] = choose(b, ends, range, args.eps ?? TINY[input.dtype]!);
        const laid = (tensor: TensorMeta): TensorMeta =>
          keepdim ? e.reshape(tensor, blockCounts(input.shape, block_size)) : tensor;
        const whole = mapping_type === "ASYMMETRIC" ? "int32" : zero.dtype;
        return [e.cast(laid(scale), scale_dtype ?? input.dtype), e.cast(laid(zero), zero_point_dtype ?? whole)];
      },
    },
  ),
  defineOp(
    "torchao::quantize_affine(Tensor input, SymInt[] block_size, Tensor scale, Tensor? zero_point, ScalarType output_dtype, Scalar? quant_min=None, Scalar? quant_max=None) -> Tensor",
    {
      decompose: ({ input, block_size, scale, zero_point, output_dtype, quant_min, quant_max }, b) => {
        const range = rangeOf(output_dtype, quant_min, quant_max);
        checkFloat("input", input);
        const blocks = blocksOf(input.shape, block_size);
        check(
          zero_point !== null && numel(zero_point.shape) > 0,
          "quantize_affine needs a zero_point, which is not there",
        );
        const e = emit(b);
        const inverse = reciprocal(b, perBlock(b, blocks, scale));
        const zero = perBlock(b, blocks, zero_point);
        return e.reshape(quantize(b, e.reshape(input, blocks.shape), inverse, zero, range, output_dtype), input.shape);
      },
    },
  ),
  defineOp(
    "torchao::dequantize_affine(Tensor input, SymInt[] block_size, Tensor scale, Tensor? zero_point, ScalarType input_dtype, Scalar? quant_min=None, Scalar? quant_max=None, ScalarType output_dtype=6) -> Tensor",
    {
      decompose: ({ input, block_size, scale, zero_point, input_dtype, quant_min, quant_max, output_dtype }, b) => {
        checkDtype(input, input_dtype);
        checkFloat("output", { dtype: output_dtype, shape: [] });
        rangeOf(input_dtype, quant_min, quant_max);
        const blocks = blocksOf(input.shape, block_size);
        const e = emit(b);
        const x = e.cast(e.reshape(input, blocks.shape), output_dtype);
        const moved = zero_point === null ? x : e.sub(x, e.cast(perBlock(b, blocks, zero_point), output_dtype));
        return e.cast(e.reshape(e.mul(moved, perBlock(b, blocks, scale)), input.shape), output_dtype);
      },
    },
  ),
];

type Range = readonly [min: number, max: number];
type Ends = ReturnType<typeof withZero>;
type Choose = (b: Builder, ends: Ends, range: Range, eps: number) => readonly [scale: TensorMeta, zero: TensorMeta];

/** The mappings of a range of floats to a range of integers, by the name in the op's argument. */
const CHOICES: Readonly<Record<string, Choose>> = {
  SYMMETRIC: (b, { low, high }, range, eps) => {
    const e = emit(b);
    const largest = e.maximum(e.neg(low), high);
    return middle(b, e.div(largest, { float: (range[1] - range[0]) / 2 }), range, eps);
  },
  SYMMETRIC_NO_CLIPPING_ERR: (b, { low, high }, range, eps) => {
    const e = emit(b);
    const [below, above] = [e.div(low, { float: range[0] }), e.div(high, { float: range[1] })];
    return middle(b, e.where(e.gt(below, above), below, above), range, eps);
  },
  ASYMMETRIC: (b, { low, high }, [min, max], eps) => {
    const e = emit(b);
    const scale = e.clampMin(e.div(e.sub(high, low), { float: max - min }), { float: eps });
    const zero = b.tensor("aten::rsub.Scalar", { self: round(b, e.div(low, scale)), other: { float: min } });
    return [scale, clamp(b, zero, min, max)];
  },
};

/** Maps zero to the middle of the integers. */
function middle(b: Builder, scale: TensorMeta, [min, max]: Range, eps: number): readonly [TensorMeta, TensorMeta] {
  const e = emit(b);
  return [e.clampMin(scale, { float: eps }), e.full(scale.shape, Math.trunc((max + min + 1) / 2), scale.dtype)];
}

function rangeOf(dtype: Parameters<typeof quantRange>[0], min: Scalar | null, max: Scalar | null): Range {
  return quantRange(dtype, min === null ? null : toNumber(min), max === null ? null : toNumber(max), TORCHAO);
}

function checkFloat(what: string, { dtype }: TensorMeta): void {
  check(Object.hasOwn(TINY, dtype), () => `Unsupported ${what} dtype: torch.${dtype}`);
}
