import { normalDim } from "@pt2/format";
import type { Builder, TensorMeta } from "@pt2/registry";
import { autogradError } from "../autograd-errors.ts";
import { type Call, type GradientRule, type GradientRules, type Gradients, ofResult } from "../gradient-rule.ts";
import { Emit, tensorOf } from "./support.ts";

/** Reductions along dimensions, and what normalizes along one. */
export const REDUCTION_RULES: GradientRules = {
  "aten::sum.dim_IntList": ofResult((grad, { self, dim, keepdim }, b) => {
    const e = new Emit(b);
    const x = tensorOf(self);
    const whole = kept(grad, x, dim as readonly number[] | null, keepdim === true, e);
    return { self: e.cast(e.expand(whole, x.shape), x.dtype) };
  }),
  "aten::amax": ofResult(extremum),
  "aten::amin": ofResult(extremum),
  "aten::median": ofResult(extremum),
  "aten::nanmedian": ofResult(extremum),
  "aten::_softmax": softmax("aten::_softmax_backward_data"),
  "aten::_safe_softmax": softmax("aten::_softmax_backward_data"),
  "aten::_log_softmax": softmax("aten::_log_softmax_backward_data"),
  "aten::cumsum": ofResult((grad, { self, dim }, b) => {
    const x = tensorOf(self);
    if (x.shape.length === 0) return { self: new Emit(b).cast(grad, x.dtype) };
    const reversed = (y: TensorMeta): TensorMeta => b.tensor("aten::flip", { self: y, dims: [Number(dim)] });
    const sums = b.tensor("aten::cumsum", { self: reversed(grad), dim: Number(dim), dtype: x.dtype });
    return { self: reversed(sums) };
  }),
  "aten::logcumsumexp": ofResult((grad, { self, dim: given }, b, { results }) => {
    const e = new Emit(b);
    const x = tensorOf(self);
    if (x.shape.length === 0) return { self: grad };
    const dim = Number(given);
    // Sums of positive and of negative gradients over what follows, in logarithms: the exponentials may be out of range.
    const reversed = (y: TensorMeta): TensorMeta => e.tensor("aten::flip", { self: y, dims: [dim] });
    const part = (y: TensorMeta): TensorMeta => {
      const terms = e.sub(e.unary("log", e.unary("relu", y)), results[0]!);
      return e.unary("exp", e.add(reversed(e.tensor("aten::logcumsumexp", { self: reversed(terms), dim })), x));
    };
    return { self: e.sub(part(grad), part(e.neg(grad))) };
  }),
  "aten::cumprod": ofResult((grad, { self, dim }, b, { results }) => {
    const [e, x, output] = [new Emit(b), tensorOf(self), results[0]!];
    const input = e.cast(x, output.dtype);
    return { self: e.cast(e.tensor("aten::cumprod_backward", { grad, input, dim, output }), x.dtype) };
  }),
  "aten::cumprod_backward": () => {
    // Its decomposition looks for zeros, which it takes for constants.
    throw autogradError("autograd.no-gradient", {
      what: "aten::cumprod_backward has no gradient: second derivatives of cumprod are not computed",
      advice: "Write the products out with `mul`, if there are few factors.",
    });
  },
  "aten::cat": ofResult((grad, { tensors, dim }, b) => ({
    tensors: cut(grad, tensors as readonly TensorMeta[], Number(dim ?? 0), new Emit(b)),
  })),
  "aten::constant_pad_nd": ofResult((grad, { pad }, b) => ({
    self: b.tensor("aten::constant_pad_nd", { self: grad, pad: (pad as readonly number[]).map((count) => -count) }),
  })),
  "aten::mean.dim": ofResult((grad, { self, dim, keepdim }, b) => {
    const e = new Emit(b);
    const x = tensorOf(self);
    const whole = kept(grad, x, dim as readonly number[] | null, keepdim === true, e);
    const count = size(x.shape) / Math.max(size(grad.shape), 1);
    return { self: e.cast(e.div(e.expand(whole, x.shape), { float: count }), x.dtype) };
  }),
  "aten::std.correction": ofResult((grad, args, b, { results }) => {
    const e = new Emit(b);
    const x = tensorOf(args.self);
    if (size(x.shape) === 0) return { self: e.zeros(x) };
    const dims = args.dim as readonly number[] | null;
    const back = (y: TensorMeta): TensorMeta => kept(y, x, dims, args.keepdim === true, e);
    const [g, deviation] = [back(grad), back(results[0]!)];
    const free = size(x.shape) / Math.max(size(grad.shape), 1) - numberOf(args.correction ?? 1);
    const slope = e.div(g, e.mul(deviation, { float: free }));
    // That of one element is NaN, and so is its gradient.
    if (free <= 0) return { self: e.mul(e.sub(x, x), slope) };
    // Elements that are all the same have no gradient in PyTorch: their deviation is 0 there, and here what rounding left.
    const extreme = (op: string): TensorMeta => e.tensor(`aten::${op}`, { self: x, dim: dims ?? [], keepdim: true });
    const zero = e.tensor("aten::eq.Tensor", { self: extreme("amax"), other: extreme("amin") });
    const scale = e.tensor("aten::masked_fill.Scalar", { self: slope, mask: zero, value: 0 });
    const mean = e.tensor("aten::mean.dim", { self: x, dim: dims, keepdim: true });
    return { self: e.mul(e.sub(x, mean), scale) };
  }),
  "aten::prod.dim_int": ofResult((grad, { self, dim, keepdim }, b) => {
    // The product of all others is that of those before times that of those after: zeros need no division.
    const e = new Emit(b);
    const x = tensorOf(self);
    if (x.shape.length === 0) return { self: e.cast(grad, x.dtype) };
    const d = normalDim(Number(dim), x.shape.length);
    const n = x.shape[d]!;
    if (n === 0) return { self: e.zeros(x) };
    const part = (start: number, end: number): TensorMeta =>
      e.tensor("aten::slice.Tensor", { self: x, dim: d, start, end, step: 1 });
    const one = e.full(
      x.shape.map((size, k) => (k === d ? 1 : size)),
      1,
      x.dtype,
    );
    const reversed = (y: TensorMeta): TensorMeta => e.tensor("aten::flip", { self: y, dims: [d] });
    const products = (y: TensorMeta): TensorMeta => e.tensor("aten::cumprod", { self: y, dim: d });
    const before = products(e.tensor("aten::cat", { tensors: [one, part(0, n - 1)], dim: d }));
    const after = reversed(products(reversed(e.tensor("aten::cat", { tensors: [part(1, n), one], dim: d }))));
    const whole = e.cast(kept(grad, x, [d], keepdim === true, e), x.dtype);
    return { self: e.mul(e.mul(before, after), whole) };
  }),
  "aten::linalg_vector_norm": ofResult((grad, args, b, { results }) => {
    const e = new Emit(b);
    const x = tensorOf(args.self);
    const ord = numberOf(args.ord);
    const back = (y: TensorMeta): TensorMeta =>
      e.cast(kept(y, x, args.dim as readonly number[] | null, args.keepdim === true, e), x.dtype);
    const [g, norm] = [back(grad), back(results[0]!)];
    const sign = e.unary("sgn", x);
    if (ord === 0) return { self: e.zeros(x) };
    if (ord === 1) return { self: e.mul(sign, g) };
    const zero = e.tensor("aten::eq.Scalar", { self: norm, other: 0 });
    const filled = (y: TensorMeta): TensorMeta =>
      e.tensor("aten::masked_fill.Scalar", { self: y, mask: zero, value: 0 });
    if (ord === 2) return { self: e.mul(x, filled(e.div(g, norm))) };
    const size = e.unary("abs", x);
    if (!Number.isFinite(ord)) {
      const isExtreme = e.tensor("aten::eq.Tensor", { self: size, other: norm });
      const dims = args.dim as readonly number[] | null;
      const count = e.sum(e.cast(isExtreme, x.dtype), dims ?? [], true);
      return { self: e.mul(e.div(e.mul(sign, g), count), e.cast(isExtreme, x.dtype)) };
    }
    const power = (y: TensorMeta, exponent: number): TensorMeta =>
      e.tensor("aten::pow.Tensor_Scalar", { self: y, exponent: { float: exponent } });
    if (ord < 1) {
      // The slope at 0 is infinite.
      const still = e.tensor("aten::eq.Scalar", { self: x, other: 0 });
      const slope = e.tensor("aten::masked_fill.Scalar", { self: power(size, ord - 1), mask: still, value: 0 });
      return { self: e.mul(e.mul(e.mul(sign, slope), g), power(norm, 1 - ord)) };
    }
    const scaled = filled(e.div(g, power(norm, ord - 1)));
    return { self: e.mul(e.mul(sign, power(size, ord - 1)), scaled) };
  }),
};

/** Distributes the gradient equally among the elements that are the result. */
function extremum(grad: TensorMeta, args: Call["args"], b: Builder, { results }: Call): Gradients {
  const e = new Emit(b);
  const { self, dim = null, keepdim } = args;
  const x = tensorOf(self);
  const dims = dim as readonly number[] | null;
  const whole = (y: TensorMeta): TensorMeta => kept(y, x, dims, keepdim === true, e);
  const value = whole(results[0]!);
  const isEqual = e.tensor("aten::eq.Tensor", { self: x, other: value });
  // Where the result is NaN, so is an element.
  const areNaN = e.tensor("aten::bitwise_and.Tensor", { self: e.unary("isnan", x), other: e.unary("isnan", value) });
  const hits = e.cast(e.tensor("aten::bitwise_or.Tensor", { self: isEqual, other: areNaN }), x.dtype);
  return { self: e.mul(e.div(hits, e.sum(hits, dims ?? [], true)), whole(grad)) };
}

function softmax(op: string): GradientRule {
  return ofResult((grad_output, { self, dim }, b, { results }) => ({
    self: new Emit(b).tensor(op, { grad_output, output: results[0]!, dim: dim!, input_dtype: tensorOf(self).dtype }),
  }));
}

/** Splits the gradient into the pieces of each tensor. An empty tensor of another rank takes no part. */
function cut(grad: TensorMeta, tensors: readonly TensorMeta[], dim: number, e: Emit): readonly (TensorMeta | null)[] {
  const d = normalDim(dim, grad.shape.length);
  let end = 0;
  return tensors.map(({ shape, dtype }) => {
    if (shape.length !== grad.shape.length) return null;
    const start = end;
    end += shape[d]!;
    return e.cast(e.tensor("aten::slice.Tensor", { self: grad, dim: d, start, end, step: 1 }), dtype);
  });
}

/** Gives a reduced tensor its dimensions again, with size 1. */
function kept(
  grad: TensorMeta,
  { shape }: TensorMeta,
  dim: readonly number[] | null,
  keepdim: boolean,
  e: Emit,
): TensorMeta {
  if (keepdim) return grad;
  const dims = dim === null || dim.length === 0 ? shape.map((_, d) => d) : dim.map((d) => normalDim(d, shape.length));
  return e.reshape(
    grad,
    shape.map((n, d) => (dims.includes(d) ? 1 : n)),
  );
}

function numberOf(value: unknown): number {
  return typeof value === "object" && value !== null && "float" in value ? Number(value.float) : Number(value);
}

function size(shape: readonly number[]): number {
  return shape.reduce((n, each) => n * each, 1);
}
