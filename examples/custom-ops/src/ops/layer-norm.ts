import { defineOp, type OpRecord, type TypedOp } from "@pt2/registry";

const SCHEMA = "demo::layer_norm(Tensor input, Tensor weight, Tensor bias, float eps=1e-05) -> Tensor";

/** Layer normalization over the last dimension (Ba et al., 2016): PyTorch's own op, which backends have kernels for. */
export const layerNorm: OpRecord & TypedOp<typeof SCHEMA> = defineOp(SCHEMA, {
  validate({ input, weight, bias }) {
    const size = input.shape.at(-1);
    if (size === undefined) return "input has no dimension to normalize";
    const wrong = [weight, bias].find(({ shape }) => shape.length !== 1 || shape[0] !== size);
    return wrong === undefined ? null : `weight and bias must have the shape [${size}], one has [${wrong.shape}]`;
  },
  infer: ({ input: { dtype, shape } }) => ({ dtype, shape }),
  decompose: ({ input, weight, bias, eps }, b) =>
    b.tensor("aten::layer_norm", { input, normalized_shape: [input.shape.at(-1)!], weight, bias, eps }),
  gradient({ args: { input, weight, eps }, grads: [grad] }, b) {
    const mean = b.tensor("aten::mean.dim", { self: input, dim: [-1], keepdim: true });
    const centered = b.tensor("aten::sub.Tensor", { self: input, other: mean });
    const squared = b.tensor("aten::mul.Tensor", { self: centered, other: centered });
    const variance = b.tensor("aten::mean.dim", { self: squared, dim: [-1], keepdim: true });
    const shifted = b.tensor("aten::add.Tensor", { self: variance, other: { float: eps } });
    const rstd = b.tensor("aten::rsqrt", { self: shifted });
    const unit = b.tensor("aten::mul.Tensor", { self: centered, other: rstd });
    // Per row: rstd · (g − mean(g) − unit · mean(g · unit)), with the gradient g of the normalized row.
    const g = b.tensor("aten::mul.Tensor", { self: grad!, other: weight });
    const along = b.tensor("aten::mul.Tensor", { self: g, other: unit });
    const meanAlong = b.tensor("aten::mean.dim", { self: along, dim: [-1], keepdim: true });
    const offset = b.tensor("aten::mean.dim", { self: g, dim: [-1], keepdim: true });
    const flat = b.tensor("aten::sub.Tensor", { self: g, other: offset });
    const projected = b.tensor("aten::addcmul", { self: flat, tensor1: unit, tensor2: meanAlong, value: -1 });
    const rows = Array.from({ length: input.shape.length - 1 }, (_, d) => d);
    const summed = (self: typeof input): typeof input =>
      rows.length === 0 ? self : b.tensor("aten::sum.dim_IntList", { self, dim: rows });
    return {
      input: b.tensor("aten::mul.Tensor", { self: projected, other: rstd }),
      weight: summed(b.tensor("aten::mul.Tensor", { self: grad!, other: unit })),
      bias: summed(grad!),
    };
  },
});
