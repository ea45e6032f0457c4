import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { first, type LearnableZero, roundedZero } from "../pointwise/learnable-fake-quantize.ts";
import { check } from "../support/check.ts";
import { emit } from "../support/emit.ts";

interface Backward extends LearnableZero {
  readonly grad: TensorMeta;
  readonly self: TensorMeta;
  readonly scale: TensorMeta;
  readonly grad_factor: number;
}

const QUANTIZED = "int quant_min, int quant_max, float grad_factor=1.";
const GRADIENTS = "(Tensor, Tensor, Tensor)";

/** Defines the gradients of fake quantization whose scale and zero point are learned. */
export const LEARNABLE_FAKE_QUANTIZE_BACKWARD_OPS: readonly OpRecord[] = [
  defineOp(
    `aten::_fake_quantize_learnable_per_tensor_affine_backward(Tensor grad, Tensor self, Tensor scale, Tensor zero_point, ${QUANTIZED}) -> ${GRADIENTS}`,
    {
      decompose(args, b) {
        const e = emit(b);
        const dims = args.self.shape.map((_, d) => d);
        const zero = e.cast(wholeZero(args, b), "float32");
        const [dx, dscale, dzero] = parts({ ...args, scale: first(args.scale, b) }, zero, b);
        return [dx, e.reshape(e.sum(dscale, dims), [1]), e.reshape(e.sum(dzero, dims), [1])];
      },
    },
  ),
  defineOp(
    `aten::_fake_quantize_learnable_per_channel_affine_backward(Tensor grad, Tensor self, Tensor scale, Tensor zero_point, int axis, ${QUANTIZED}) -> ${GRADIENTS}`,
    {
      decompose({ axis, ...args }, b) {
        const e = emit(b);
        const { shape } = args.self;
        check(axis >= 0 && axis < shape.length, "`axis` must be between 0 and number of dimensions of input");
        const dims = shape.flatMap((_, d) => (d === axis ? [] : [d]));
        const along = shape.map((size, d) => (d === axis ? size : 1));
        const zero = e.cast(e.reshape(roundedZero(args, b), along), "float32");
        const [dx, dscale, dzero] = parts({ ...args, scale: e.reshape(args.scale, along) }, zero, b);
        // Without other dimensions PyTorch sums all.
        const summed = (self: TensorMeta): TensorMeta =>
          dims.length === 0 ? b.tensor("aten::sum", { self }) : e.sum(self, dims);
        return [dx, summed(dscale), summed(dzero)];
      },
    },
  ),
];

/** Returns the zero point of a whole tensor that gradients see: halves go up, and fractions below zero too. */
function wholeZero({ zero_point, quant_min, quant_max }: LearnableZero, b: Builder): TensorMeta {
  const e = emit(b);
  const raised = e.add(e.cast(first(zero_point, b), "float32"), { float: 0.5 });
  const kept = b.tensor("aten::clamp", { self: raised, min: { float: quant_min }, max: { float: quant_max } });
  return e.cast(kept, "int32");
}

/** Returns the gradients of each element, of the scale and the zero point as of tensors of as many. */
function parts(
  { grad, self, scale, quant_min, quant_max, grad_factor }: Backward,
  zero: TensorMeta,
  b: Builder,
): readonly [TensorMeta, TensorMeta, TensorMeta] {
  const e = emit(b);
  const inverse = e.div(e.full([], { float: 1 }, "float32"), scale);
  const level = b.tensor("aten::round", { self: e.add(zero, e.mul(self, inverse)) });
  const [below, above] = [e.lt(level, quant_min), e.gt(level, quant_max)];
  const outside = b.tensor("aten::logical_or", { self: below, other: above });
  const kept = b.tensor("aten::clamp", { self: level, min: quant_min, max: quant_max });
  const nothing = e.full([], { float: 0 }, grad.dtype);
  const factor = { float: grad_factor };
  const end = e.where(below, e.sub(quant_min, zero), e.sub(quant_max, zero));
  const error = e.mul(e.sub(e.mul(e.sub(kept, zero), scale), self), inverse);
  const dscale = e.mul(e.mul(grad, e.where(outside, end, error)), factor);
  const dzero = e.where(outside, e.mul(e.mul(e.neg(grad), scale), factor), nothing);
  return [e.where(outside, nothing, grad), dscale, dzero];
}
