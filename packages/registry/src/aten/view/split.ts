import { defineOp, type OpRecord } from "../../op.ts";
import type { Strided } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { range, wrapDim } from "../support/dims.ts";
import { selectAt, sliceOf } from "./geometry.ts";

/** Defines views that split a tensor into a list. */
export const SPLIT_OPS: readonly OpRecord[] = [
  defineOp("aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]", {
    inverse: { join: "aten::cat" },
    view: (self, { split_size, dim }) => splitEvery(self, split_size, dim),
  }),
  defineOp("aten::unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]", {
    inverse: { join: "aten::cat" },
    view: (self, { split_size, dim }) => splitEvery(self, split_size, dim),
  }),
  defineOp("aten::split_copy.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]", {
    view: (self, { split_size, dim }) => splitEvery(self, split_size, dim),
  }),
  defineOp("aten::split.sizes(Tensor(a -> *) self, SymInt[] split_size, int dim=0) -> Tensor(a)[]", {
    inverse: { join: "aten::cat" },
    view: (self, { split_size, dim }) => splitSizes(self, split_size, dim),
  }),
  defineOp("aten::split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]", {
    inverse: { join: "aten::cat" },
    view: (self, { split_sizes, dim }) => splitSizes(self, split_sizes, dim),
  }),
  defineOp("aten::unsafe_split_with_sizes(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]", {
    inverse: { join: "aten::cat" },
    view: (self, { split_sizes, dim }) => splitSizes(self, split_sizes, dim),
  }),
  defineOp("aten::split_with_sizes_copy(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]", {
    view: (self, { split_sizes, dim }) => splitSizes(self, split_sizes, dim),
  }),
  defineOp("aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]", {
    inverse: { join: "aten::cat" },
    view: (self, { chunks, dim }) => chunk(self, chunks, dim),
  }),
  defineOp("aten::unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]", {
    inverse: { join: "aten::cat" },
    view: (self, { chunks, dim }) => chunk(self, chunks, dim),
  }),
  defineOp("aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]", {
    inverse: { join: "aten::stack" },
    view: (self, { dim }) => unbind(self, dim),
  }),
  defineOp("aten::unbind_copy.int(Tensor self, int dim=0) -> Tensor[]", { view: (self, { dim }) => unbind(self, dim) }),
  defineOp("aten::tensor_split.sections(Tensor(a -> *) self, SymInt sections, int dim=0) -> Tensor(a)[]", {
    inverse: { join: "aten::cat" },
    view: (self, { sections, dim }) => sectionsOf(self, sections, dim),
  }),
  defineOp("aten::tensor_split.indices(Tensor(a -> *) self, SymInt[] indices, int dim=0) -> Tensor(a)[]", {
    inverse: { join: "aten::cat" },
    view: (self, { indices, dim }) => cutAt(self, indices, dim),
  }),
  defineOp(
    "aten::tensor_split.tensor_indices_or_sections(Tensor(a -> *) self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor(a)[]",
    {
      infer: ({ self, tensor_indices_or_sections: given, dim }) => {
        check(
          given.dtype === "int64" && given.shape.length <= 1,
          () => `tensor_split expected int64 indices of at most one dimension, got ${given.dtype} ${show(given.shape)}`,
        );
        check(self.shape.length > 0, "tensor_split expected at least a 1-dimensional tensor");
        wrapDim(dim, self.shape.length);
        return range((given.shape[0] ?? 0) + 1).map(() => ({ dtype: self.dtype, shape: self.shape }));
      },
      dynamic: true,
    },
  ),
  defineOp("aten::hsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", {
    inverse: { join: "aten::cat", dim: "columns" },
    view: (self, { sections }) => equalSections(self, sections, self.shape.length === 1 ? 0 : 1),
  }),
  defineOp("aten::hsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]", {
    inverse: { join: "aten::cat", dim: "columns" },
    view: (self, { indices }) => cutAt(self, indices, self.shape.length === 1 ? 0 : 1),
  }),
  defineOp("aten::vsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", {
    inverse: { join: "aten::cat", dim: 0 },
    view: (self, { sections }) => equalSections(self, sections, 0),
  }),
  defineOp("aten::vsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]", {
    inverse: { join: "aten::cat", dim: 0 },
    view: (self, { indices }) => cutAt(self, indices, 0),
  }),
  defineOp("aten::dsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", {
    inverse: { join: "aten::cat", dim: 2 },
    view: (self, { sections }) => equalSections(self, sections, 2),
  }),
  defineOp("aten::dsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]", {
    inverse: { join: "aten::cat", dim: 2 },
    view: (self, { indices }) => cutAt(self, indices, 2),
  }),
];

function sizeOf(self: Strided, dim: number): number {
  check(self.shape.length > 0, "split expects at least a 1-dimensional tensor");
  return self.shape[wrapDim(dim, self.shape.length)]!;
}

function splitEvery(self: Strided, every: number, dim: number): readonly Strided[] {
  const size = sizeOf(self, dim);
  check(every >= 0, `split expects split_size be non-negative, but got split_size=${every}`);
  check(every > 0 || size === 0, `split_size can only be 0 if dimension size is 0, but got dimension size of ${size}`);
  const count = every === 0 ? 1 : Math.max(1, Math.ceil(size / every));
  return range(count).map((i) => sliceOf(self, dim, i * every, (i + 1) * every, 1));
}

function splitSizes(self: Strided, sizes: readonly number[], dim: number): readonly Strided[] {
  const size = sizeOf(self, dim);
  const total = sizes.reduce((sum, part) => sum + part, 0);
  check(
    total === size && sizes.every((part) => part >= 0),
    `split_with_sizes expects split_sizes to sum exactly to ${size} (input tensor's size at dimension ${dim}), but got split_sizes=[${sizes.join(", ")}]`,
  );
  let at = 0;
  return sizes.map((part) => {
    at += part;
    return sliceOf(self, dim, at - part, at, 1);
  });
}

/** Splits into chunks of equal size; there are fewer than requested if the size does not divide. */
function chunk(self: Strided, chunks: number, dim: number): readonly Strided[] {
  check(self.shape.length > 0, "chunk expects at least a 1-dimensional tensor");
  check(chunks > 0, `chunk expects \`chunks\` to be greater than 0, got: ${chunks}`);
  const size = sizeOf(self, dim);
  const every = Math.ceil(size / chunks);
  if (every > 0) return splitEvery(self, every, dim);
  return range(chunks).map(() => sliceOf(self, dim, 0, 0, 1));
}

function unbind(self: Strided, dim: number): readonly Strided[] {
  check(self.shape.length > 0, "Dimension specified as 0 but tensor has no dimensions");
  return range(sizeOf(self, dim)).map((i) => selectAt(self, dim, i));
}

/** Splits into exactly `sections` pieces; the first ones are longer by one if the size does not divide. */
function sectionsOf(self: Strided, sections: number, dim: number): readonly Strided[] {
  check(sections > 0, `number of sections must be larger than 0, got ${sections}`);
  const size = sizeOf(self, dim);
  const [every, longer] = [Math.floor(size / sections), size % sections];
  const sizes = range(sections).map((i) => every + (i < longer ? 1 : 0));
  return splitSizes(self, sizes, dim);
}

function equalSections(self: Strided, sections: number, dim: number): readonly Strided[] {
  const size = sizeOf(self, dim);
  check(
    sections > 0 && size % sections === 0,
    `attempted to split along dimension ${dim}, but the size of the dimension ${size} is not divisible by the split_size ${sections}!`,
  );
  return sectionsOf(self, sections, dim);
}

function cutAt(self: Strided, indices: readonly number[], dim: number): readonly Strided[] {
  const size = sizeOf(self, dim);
  return [...indices, size].map((end, i) => sliceOf(self, dim, i === 0 ? 0 : indices[i - 1]!, end, 1));
}
