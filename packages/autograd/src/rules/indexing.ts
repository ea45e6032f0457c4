import { type ArgValue, type Builder, isTensorMeta, type TensorMeta } from "@pt2/registry";
import { type Call, type GradientRule, type GradientRules, ofResult } from "../gradient-rule.ts";
import { summedTo } from "../scalar-gradient.ts";
import { Emit, tensorOf } from "./support.ts";

/** Ops that read or write elements at given places. */
export const INDEXING_RULES: GradientRules = {
  "aten::embedding": ofResult((grad_output, args, b) => {
    const { indices, padding_idx, scale_grad_by_freq } = args;
    const num_weights = tensorOf(args.weight).shape[0]!;
    const given = {
      grad_output,
      indices: indices!,
      num_weights,
      padding_idx: padding_idx!,
      scale_grad_by_freq: scale_grad_by_freq!,
    };
    return { weight: new Emit(b).tensor("aten::embedding_dense_backward", given) };
  }),
  "aten::gather": ofResult((src, { self, dim, index }, b) => {
    const e = new Emit(b);
    return { self: e.tensor("aten::scatter_add", { self: e.zeros(tensorOf(self)), dim: dim!, index: index!, src }) };
  }),
  "aten::index_select": ofResult((source, { self, dim, index }, b) => {
    const e = new Emit(b);
    return { self: e.tensor("aten::index_add", { self: e.zeros(tensorOf(self)), dim: dim!, index: index!, source }) };
  }),
  "aten::index.Tensor": ofResult((values, { self, indices }, b) => {
    const e = new Emit(b);
    const given = { self: e.zeros(tensorOf(self)), indices: indices!, values, accumulate: true };
    return { self: e.tensor("aten::index_put", given) };
  }),
  "aten::index_put": ofResult((grad, { indices, values, accumulate }, b, { wants }) => {
    const e = new Emit(b);
    const { shape } = tensorOf(values);
    const others = e.tensor("aten::index_put", { self: grad, indices: indices!, values: e.full([], 0, grad.dtype) });
    const self = accumulate === true ? grad : others;
    if (!wants("values")) return { self };
    // How many elements a mask chooses depends on data; a single value has the gradients of all of them.
    const isOne = shape.every((size) => size === 1) && (indices as readonly ArgValue[]).some(isMask);
    const read = isOne ? e.sub(grad, others) : e.tensor("aten::index.Tensor", { self: grad, indices: indices! });
    return { self, values: summedTo(shape, read, b) };
  }),
  "aten::index_add": ofResult((grad, { dim, index, source, alpha }, b) => {
    const e = new Emit(b);
    const rows = e.tensor("aten::index_select", { self: grad, dim: dim!, index: index! });
    return { self: grad, source: e.reshape(scaled(e, rows, alpha), tensorOf(source).shape) };
  }),
  "aten::index_copy": ofResult((grad, { dim, index, source }, b) => {
    const e = new Emit(b);
    const rows = e.tensor("aten::index_select", { self: grad, dim: dim!, index: index! });
    return {
      self: e.tensor("aten::index_fill.int_Scalar", { self: grad, dim: dim!, index: index!, value: 0 }),
      source: e.reshape(rows, tensorOf(source).shape),
    };
  }),
  "aten::scatter.src": ofResult((grad, { dim, index }, b) => ({
    self: new Emit(b).tensor("aten::scatter.value", { self: grad, dim: dim!, index: index!, value: 0 }),
    src: gathered(grad, dim!, index!, b),
  })),
  "aten::scatter.value": ofResult((grad, { dim, index }, b) => ({
    self: new Emit(b).tensor("aten::scatter.value", { self: grad, dim: dim!, index: index!, value: 0 }),
  })),
  "aten::scatter_add": ofResult((grad, { dim, index }, b) => ({
    self: grad,
    src: gathered(grad, dim!, index!, b),
  })),
  "aten::scatter_reduce.two": ofResult((grad, args, b, { results }) => {
    const e = new Emit(b);
    const { dim, index, reduce, include_self } = args;
    const [self, src] = [tensorOf(args.self), tensorOf(args.src)];
    const added = (into: TensorMeta, values: TensorMeta): TensorMeta =>
      e.tensor("aten::scatter_add", { self: into, dim: dim!, index: index!, src: values });
    const kept = (x: TensorMeta): TensorMeta =>
      include_self === true ? x : e.tensor("aten::scatter.value", { self: x, dim: dim!, index: index!, value: 0 });
    if (reduce === "sum") return { self: kept(grad), src: gathered(grad, dim!, index!, b) };
    if (reduce === "mean") {
      const counts = added(kept(e.full(self.shape, 1, grad.dtype)), e.full(src.shape, 1, grad.dtype));
      const share = e.div(grad, e.tensor("aten::clamp", { self: counts, min: 1 }));
      return { self: kept(share), src: gathered(share, dim!, index!, b) };
    }
    if (reduce === "prod") {
      const { self: ofSelf, src: ofSource } = multiplied(grad, args, results[0]!, b);
      return { self: kept(ofSelf), src: ofSource };
    }
    const same = (x: TensorMeta, y: TensorMeta): TensorMeta =>
      e.cast(e.tensor("aten::eq.Tensor", { self: x, other: y }), grad.dtype);
    const result = results[0]!;
    const [isSelf, isSource] = [kept(same(self, result)), same(src, gathered(result, dim!, index!, b))];
    const share = e.div(grad, e.tensor("aten::clamp", { self: added(isSelf, isSource), min: 1 }));
    return { self: e.mul(isSelf, share), src: e.mul(isSource, gathered(share, dim!, index!, b)) };
  }),
  "aten::grid_sampler_2d": sampled("aten::grid_sampler_2d_backward"),
  "aten::grid_sampler_3d": sampled("aten::grid_sampler_3d_backward"),
  "aten::select_scatter": ofResult((grad, { src, dim, index }, b) => {
    const e = new Emit(b);
    return {
      self: e.tensor("aten::select_scatter", { self: grad, src: e.zeros(tensorOf(src)), dim: dim!, index: index! }),
      src: e.tensor("aten::select.int", { self: grad, dim: dim!, index: index! }),
    };
  }),
  "aten::slice_scatter": ofResult((grad, { self: _, src, ...place }, b) => {
    const e = new Emit(b);
    return {
      self: e.tensor("aten::slice_scatter", { self: grad, src: e.zeros(tensorOf(src)), ...place }),
      src: e.tensor("aten::slice.Tensor", { self: grad, ...place }),
    };
  }),
  "aten::diagonal_scatter": ofResult((grad, { self: _, src, ...place }, b) => {
    const e = new Emit(b);
    return {
      self: e.tensor("aten::diagonal_scatter", { self: grad, src: e.zeros(tensorOf(src)), ...place }),
      src: e.tensor("aten::diagonal", { self: grad, ...place }),
    };
  }),
  "aten::sort.stable": selected(({ args }) => args.dim!),
  "aten::sort": selected(({ args }) => args.dim!),
  "aten::topk": selected(({ args }) => args.dim!),
  "aten::kthvalue": selected(({ args }) => args.dim!),
  "aten::median.dim": selected(({ args }) => args.dim!),
  "aten::nanmedian.dim": selected(({ args }) => args.dim!),
  "aten::mode": selected(({ args }) => args.dim!),
  "aten::cummax": accumulated(),
  "aten::cummin": accumulated(),
  "aten::flip": ofResult((grad, { dims }, b) => ({
    self: new Emit(b).tensor("aten::flip", { self: grad, dims: dims! }),
  })),
};

function isMask(index: ArgValue): boolean {
  return isTensorMeta(index) && index.dtype === "bool";
}

function gathered(grad: TensorMeta, dim: Call["args"][string], index: Call["args"][string], b: Builder): TensorMeta {
  return new Emit(b).tensor("aten::gather", { self: grad, dim, index });
}

function scaled(e: Emit, x: TensorMeta, alpha: Call["args"][string] | undefined): TensorMeta {
  const factor = typeof alpha === "object" && alpha !== null && "float" in alpha ? alpha.float : Number(alpha ?? 1);
  return e.times(x, factor);
}

/** Ops that return elements of `self` and their places along a dimension. */
function selected(dimOf: (call: Call) => Call["args"][string]): GradientRule {
  return ofResult((grad, { self, keepdim }, b, call) => {
    const e = new Emit(b);
    const target = tensorOf(self);
    if (target.shape.length === 0) return { self: grad };
    const dim = dimOf(call);
    const reduced = keepdim === false;
    const whole = (x: TensorMeta): TensorMeta => (reduced ? e.tensor("aten::unsqueeze", { self: x, dim }) : x);
    const index = whole(call.results[1]!);
    return { self: e.tensor("aten::scatter.src", { self: e.zeros(target), dim, index, src: whole(grad) }) };
  });
}

/** Running extremes: an element may be the result at several places. */
function accumulated(): GradientRule {
  return ofResult((src, { self, dim }, b, { results }) => {
    const e = new Emit(b);
    const target = tensorOf(self);
    if (target.shape.length === 0) return { self: src };
    return { self: e.tensor("aten::scatter_add", { self: e.zeros(target), dim: dim!, index: results[1]!, src }) };
  });
}

/** The gradients of products, which are those of the other factors also where one of them is zero. */
function multiplied(
  grad: TensorMeta,
  { self: given, src: values, ...rest }: Call["args"],
  result: TensorMeta,
  b: Builder,
): { readonly self: TensorMeta; readonly src: TensorMeta } {
  const e = new Emit(b);
  const [self, src] = [tensorOf(given), tensorOf(values)];
  const isZero = (x: TensorMeta): TensorMeta => e.tensor("aten::eq.Scalar", { self: x, other: 0 });
  const filled = (x: TensorMeta, mask: TensorMeta): TensorMeta =>
    e.tensor("aten::masked_fill.Scalar", { self: x, mask, value: 1 });
  const product = (into: TensorMeta, factors: TensorMeta): TensorMeta =>
    e.tensor("aten::scatter_reduce.two", { ...rest, self: into, src: factors });
  const whole = filled(self, isZero(self));
  const at = { dim: rest.dim!, index: rest.index! };
  const zeros = isZero(src);
  const counts = e.tensor("aten::scatter_add", { self: e.zeros(self), ...at, src: e.cast(zeros, self.dtype) });
  const one = e.tensor("aten::eq.Scalar", { self: gathered(counts, at.dim, at.index, b), other: 1 });
  const alone = e.tensor("aten::logical_and", { self: zeros, other: one });
  const others = gathered(e.mul(grad, product(self, filled(src, alone))), at.dim, at.index, b);
  const shares = e.div(gathered(e.mul(grad, result), at.dim, at.index, b), filled(src, zeros));
  return { self: e.div(e.mul(grad, product(whole, src)), whole), src: e.where(alone, others, shares) };
}

/** What is read at fractional positions: both the image and the positions have gradients. */
function sampled(op: string): GradientRule {
  return ofResult((grad_output, args, b, { wants }) => {
    const output_mask = [wants("input"), wants("grid")];
    const [input, grid] = b.call(op, { grad_output, ...args, output_mask }) as readonly TensorMeta[];
    return { ...(output_mask[0] && { input: input! }), ...(output_mask[1] && { grid: grid! }) };
  });
}
