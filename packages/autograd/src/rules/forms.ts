import { normalDim } from "@pt2/format";
import type { OpName } from "@pt2/graph";
import { type Builder, isTensorMeta, type TensorMeta } from "@pt2/registry";
import { onDemand } from "@pt2/registry/on-demand";
import type { Call, DifferentiableForm } from "../gradient-rule.ts";
import { tensorOf } from "./support.ts";

const householder = onDemand("products of reflections", () => import("./householder.ts"));

/**
 * Ops that are called in another form when gradients flow through them: the form returns what the gradient needs (a
 * mask, statistics), or consists of ops with rules. Each returns what the op returns.
 */
export const FORMS: Readonly<Record<OpName, DifferentiableForm>> = {
  "aten::dropout": (args, b) => b.call("aten::native_dropout" as string, args)[0] as TensorMeta,
  "aten::batch_norm": ({ cudnn_enabled: _, training, ...args }, b) => {
    const { input, running_mean, running_var } = args;
    if (tensorOf(input).shape.length < 2) return null;
    const hasStatistics = isTensorMeta(running_mean) && isTensorMeta(running_var);
    return hasStatistics && training === false
      ? b.tensor("aten::_native_batch_norm_legit_no_training" as string, args)
      : b.tensor("aten::native_batch_norm" as string, { ...args, training: training! });
  },
  // Decompositions return row-major tensors where PyTorch's kernels may not, and the other way around.
  "aten::view": ({ self, size }, b) =>
    b.tensor("aten::reshape", { self: self as TensorMeta, shape: size as readonly number[] }),
  "aten::_unsafe_view": ({ self, size }, b) =>
    b.tensor("aten::reshape", { self: self as TensorMeta, shape: size as readonly number[] }),
  "aten::unfold_copy": ({ self, dimension, size, step }, b) =>
    unfolded(tensorOf(self), Number(dimension), Number(size), Number(step), b),
  "aten::linalg_solve": (args, b) => b.call("aten::linalg_solve_ex" as string, args)[0] as TensorMeta,
  "aten::fake_quantize_per_tensor_affine": (args, b) =>
    b.call("aten::fake_quantize_per_tensor_affine_cachemask" as string, args)[0] as TensorMeta,
  "aten::linalg_householder_product": (args, b) => householder().householderProduct(args, b),
  "aten::ormqr": (args, b) => householder().householderApplied(args, b),
  "aten::unfold": ({ self, dimension, size, step }, b) =>
    unfolded(self as TensorMeta, Number(dimension), Number(size), Number(step), b),
  "aten::as_strided": (args, b) => strided(args, b),
  "aten::as_strided_scatter": ({ self, src, ...place }, b) => stridedScatter(tensorOf(self), tensorOf(src), place, b),
};

/** Windows along a dimension, by their positions: what overlaps is added up on the way back. */
function unfolded(self: TensorMeta, dimension: number, size: number, step: number, b: Builder): TensorMeta {
  if (self.shape.length === 0)
    return b.tensor("aten::expand", { self: b.tensor("aten::unsqueeze", { self, dim: 0 }), size: [size] });
  const dim = normalDim(dimension, self.shape.length);
  const count = Math.floor((self.shape[dim]! - size) / step) + 1;
  const index = positions([count, size], [step, 1], 0, b);
  const windows = b.tensor("aten::index_select", { self, dim, index });
  const shape = [...self.shape.slice(0, dim), count, size, ...self.shape.slice(dim + 1)];
  const apart = b.tensor("aten::reshape", { self: windows, shape });
  const last = shape.length - 1;
  const dims = [...Array(shape.length).keys()].filter((d) => d !== dim + 1);
  return b.tensor("aten::permute", { self: apart, dims: [...dims.slice(0, last), dim + 1] });
}

/** Elements of a row-major tensor at the places that strides say. */
function strided({ self, size, stride, storage_offset }: Call["args"], b: Builder): TensorMeta {
  const sizes = size as readonly number[];
  const index = positions(sizes, stride as readonly number[], Number(storage_offset ?? 0), b);
  const flat = b.tensor("aten::reshape", { self: self as TensorMeta, shape: [-1] });
  const found = b.tensor("aten::index_select", { self: flat, dim: 0, index });
  return b.tensor("aten::reshape", { self: found, shape: sizes });
}

/** Writes to a row-major tensor at the places that strides say. */
function stridedScatter(self: TensorMeta, src: TensorMeta, place: Call["args"], b: Builder): TensorMeta {
  const { size, stride, storage_offset } = place;
  const index = positions(size as readonly number[], stride as readonly number[], Number(storage_offset ?? 0), b);
  const flat = b.tensor("aten::reshape", { self, shape: [-1] });
  const source = b.tensor("aten::reshape", { self: src, shape: [-1] });
  const written = b.tensor("aten::index_copy", { self: flat, dim: 0, index, source });
  return b.tensor("aten::reshape", { self: written, shape: self.shape });
}

/** The places of all elements of a geometry, in one dimension. */
function positions(sizes: readonly number[], strides: readonly number[], offset: number, b: Builder): TensorMeta {
  const start = b.tensor("aten::full", { size: sizes.map(() => 1), fill_value: offset, dtype: "int64" });
  const sum = sizes.reduce((places, end, d) => {
    const steps = b.tensor("aten::arange.start_step", { start: 0, end, step: 1, dtype: "int64" });
    const scaled = b.tensor("aten::mul.Tensor", { self: steps, other: strides[d]! });
    const shape = sizes.map((_, k) => (k === d ? end : 1));
    return b.tensor("aten::add.Tensor", { self: places, other: b.tensor("aten::reshape", { self: scaled, shape }) });
  }, start);
  return b.tensor("aten::reshape", { self: sum, shape: [-1] });
}
