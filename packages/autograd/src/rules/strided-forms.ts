import { normalDim } from "@pt2/format";
import type { Builder, TensorMeta } from "@pt2/registry";
import type { DifferentiableForm } from "../gradient-rule.ts";
import { tensorOf } from "./support.ts";

/** Windows along a dimension, by their positions: what overlaps is added up on the way back. */
export const unfolded: DifferentiableForm = (args, b) => {
  const self = tensorOf(args.self);
  const [size, step] = [Number(args.size), Number(args.step)];
  if (self.shape.length === 0)
    return b.tensor("aten::expand", { self: b.tensor("aten::unsqueeze", { self, dim: 0 }), size: [size] });
  const dim = normalDim(Number(args.dimension), self.shape.length);
  const count = Math.floor((self.shape[dim]! - size) / step) + 1;
  const index = positions([count, size], [step, 1], 0, b);
  const windows = b.tensor("aten::index_select", { self, dim, index });
  const shape = [...self.shape.slice(0, dim), count, size, ...self.shape.slice(dim + 1)];
  const apart = b.tensor("aten::reshape", { self: windows, shape });
  const last = shape.length - 1;
  const dims = [...Array(shape.length).keys()].filter((d) => d !== dim + 1);
  return b.tensor("aten::permute", { self: apart, dims: [...dims.slice(0, last), dim + 1] });
};

/** Elements of a row-major tensor at the places that strides say. */
export const strided: DifferentiableForm = ({ self, size, stride, storage_offset }, b) => {
  const sizes = size as readonly number[];
  const index = positions(sizes, stride as readonly number[], Number(storage_offset ?? 0), b);
  const flat = b.tensor("aten::reshape", { self: self as TensorMeta, shape: [-1] });
  const found = b.tensor("aten::index_select", { self: flat, dim: 0, index });
  return b.tensor("aten::reshape", { self: found, shape: sizes });
};

/** Writes to a row-major tensor at the places that strides say. */
export const stridedScatter: DifferentiableForm = (args, b) => {
  const [self, src] = [tensorOf(args.self), tensorOf(args.src)];
  const { size, stride, storage_offset } = args;
  const index = positions(size as readonly number[], stride as readonly number[], Number(storage_offset ?? 0), b);
  const flat = b.tensor("aten::reshape", { self, shape: [-1] });
  const source = b.tensor("aten::reshape", { self: src, shape: [-1] });
  const written = b.tensor("aten::index_copy", { self: flat, dim: 0, index, source });
  return b.tensor("aten::reshape", { self: written, shape: self.shape });
};

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
