import type { Builder } from "../../builder.ts";
import { resultType } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { numel, sameShape, wrapDim } from "../support/dims.ts";
import { checkSameDtype, isComplex } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/** Defines ops that join tensors. `cat` is the primitive. */
export const CONCAT_OPS: readonly OpRecord[] = [
  defineOp("aten::cat(Tensor[] tensors, int dim=0) -> Tensor", {
    infer: ({ tensors, dim }) => catMeta(tensors, dim),
    decompose({ tensors, dim }, b) {
      const dtype = resultType(tensors);
      if (!isComplex(dtype) || tensors.every((tensor) => tensor.dtype === dtype)) return null;
      return b.tensor("aten::cat", { tensors: tensors.map((tensor) => emit(b).cast(tensor, dtype)), dim });
    },
    joins: true,
  }),
  defineOp("aten::concat(Tensor[] tensors, int dim=0) -> Tensor", {
    decompose: ({ tensors, dim }, b) => b.tensor("aten::cat", { tensors, dim }),
  }),
  defineOp("aten::concatenate(Tensor[] tensors, int dim=0) -> Tensor", {
    decompose: ({ tensors, dim }, b) => b.tensor("aten::cat", { tensors, dim }),
  }),
  defineOp("aten::stack(Tensor[] tensors, int dim=0) -> Tensor", {
    decompose: ({ tensors, dim }, b) => stack(tensors, dim, b),
  }),
  defineOp(
    'aten::pad_sequence(Tensor[] sequences, bool batch_first=False, float padding_value=0., str padding_side="right") -> Tensor',
    {
      decompose({ sequences, batch_first, padding_value, padding_side }, b) {
        check(sequences.length > 0, "received an empty list of sequences");
        const isLong = sequences.every(({ shape }) => shape.length > 0);
        check(isLong, "pad_sequence expects sequences of at least one dimension, got a tensor that has none");
        const isSide = padding_side === "left" || padding_side === "right";
        check(isSide, () => `Expected padding_side to be one of left or right, but got ${padding_side}.`);
        const longest = Math.max(...sequences.map(({ shape }) => shape[0]!));
        const padded = sequences.map((self) => {
          const missing = longest - self.shape[0]!;
          const ends = padding_side === "left" ? [missing, 0] : [0, missing];
          const pad = [...new Array<number>(2 * (self.shape.length - 1)).fill(0), ...ends];
          return missing === 0
            ? self
            : b.tensor("aten::constant_pad_nd", { self, pad, value: { float: padding_value } });
        });
        return stack(padded, batch_first ? 0 : 1, b);
      },
    },
  ),
  defineOp("aten::hstack(Tensor[] tensors) -> Tensor", {
    decompose({ tensors }, b) {
      const rows = tensors.map((tensor) => atLeast(tensor, 1, b));
      return b.tensor("aten::cat", { tensors: rows, dim: rows[0]?.shape.length === 1 ? 0 : 1 });
    },
  }),
  defineOp("aten::vstack(Tensor[] tensors) -> Tensor", {
    decompose: ({ tensors }, b) => b.tensor("aten::cat", { tensors: tensors.map((t) => atLeast(t, 2, b)), dim: 0 }),
  }),
  defineOp("aten::row_stack(Tensor[] tensors) -> Tensor", {
    decompose: ({ tensors }, b) => b.tensor("aten::cat", { tensors: tensors.map((t) => atLeast(t, 2, b)), dim: 0 }),
  }),
  defineOp("aten::dstack(Tensor[] tensors) -> Tensor", {
    decompose: ({ tensors }, b) => b.tensor("aten::cat", { tensors: tensors.map((t) => atLeast(t, 3, b)), dim: 2 }),
  }),
  defineOp("aten::column_stack(Tensor[] tensors) -> Tensor", {
    decompose({ tensors }, b) {
      const columns = tensors.map((t) => (t.shape.length > 1 ? t : emit(b).reshape(t, [t.shape[0] ?? 1, 1])));
      return b.tensor("aten::cat", { tensors: columns, dim: 1 });
    },
  }),
  defineOp("aten::atleast_1d(Tensor self) -> Tensor", {
    inverse: "reshape",
    decompose: ({ self }, b) => atLeast(self, 1, b),
  }),
  defineOp("aten::atleast_2d(Tensor self) -> Tensor", {
    inverse: "reshape",
    decompose: ({ self }, b) => atLeast(self, 2, b),
  }),
  defineOp("aten::atleast_3d(Tensor self) -> Tensor", {
    inverse: "reshape",
    decompose: ({ self }, b) => atLeast(self, 3, b),
  }),
  ...([1, 2, 3] as const).map((rank) =>
    defineOp(`aten::atleast_${rank}d.Sequence(Tensor[] tensors) -> Tensor[]`, {
      inverse: "reshape",
      decompose: ({ tensors }, b) => (tensors as readonly TensorMeta[]).map((tensor) => atLeast(tensor, rank, b)),
    }),
  ),
  defineOp("aten::flatten_dense_tensors(Tensor[] tensors) -> Tensor", {
    inverse: "reshape",
    decompose({ tensors }, b) {
      check(tensors.length > 0, "flatten_dense_tensors expects at least one tensor");
      const { cat, reshape } = emit(b);
      return cat(
        tensors.map((tensor) => reshape(tensor, [numel(tensor.shape)])),
        0,
      );
    },
  }),
  defineOp("aten::_chunk_cat(Tensor[] tensors, int dim, int num_chunks) -> Tensor", {
    decompose({ tensors, dim, num_chunks }, b) {
      const e = emit(b);
      const [first] = tensors;
      check(first !== undefined, "_chunk_cat expects a non-empty input tensor list");
      check(num_chunks >= 1, () => `_chunk_cat expects positive num_chunks, got ${num_chunks}`);
      const at = wrapDim(dim, first.shape.length);
      for (const { shape } of tensors) {
        check(numel(shape) > 0, "_chunk_cat expects non-empty tensor");
        const alike = shape.length > at && shape.slice(0, at).every((size, d) => size === first.shape[d]);
        check(alike, "_chunk_cat expects same sizes of 0,...,dim-1 dimensions");
      }
      checkSameDtype("_chunk_cat", first, ...tensors);
      const rows = tensors.map((tensor) => {
        const rest = tensor.shape.length - 1 - at;
        const missing = Math.ceil(tensor.shape[at]! / num_chunks) * num_chunks - tensor.shape[at]!;
        const pad = [...new Array<number>(2 * rest).fill(0), 0, missing];
        const full = b.tensor("aten::constant_pad_nd", { self: tensor, pad });
        return e.reshape(full, [...tensor.shape.slice(0, at), num_chunks, -1]);
      });
      return e.cat(rows, at + 1);
    },
  }),
];

function catMeta(tensors: readonly TensorMeta[], dim: number): TensorMeta {
  check(tensors.length > 0, "torch.cat(): expected a non-empty list of Tensors");
  const dtype = resultType(tensors);
  // PyTorch still accepts an empty 1-d tensor beside tensors of any rank, for compatibility.
  const parts = tensors.filter(({ shape }) => !(shape.length === 1 && shape[0] === 0));
  const [first] = parts;
  if (first === undefined) return { dtype, shape: [0] };
  check(first.shape.length > 0, "zero-dimensional tensor (at position 0) cannot be concatenated");
  const d = wrapDim(dim, first.shape.length);
  const without = (shape: readonly number[]): readonly number[] => shape.map((size, i) => (i === d ? 0 : size));
  for (const { shape } of parts) {
    check(
      sameShape(without(shape), without(first.shape)),
      () =>
        `Sizes of tensors must match except in dimension ${d}. Expected ${show(first.shape)} but got ${show(shape)}`,
    );
  }
  const total = parts.reduce((sum, { shape }) => sum + shape[d]!, 0);
  return { dtype, shape: first.shape.map((size, i) => (i === d ? total : size)) };
}

function stack(tensors: readonly TensorMeta[], dim: number, b: Builder): TensorMeta {
  const [first] = tensors;
  check(first !== undefined, "stack expects a non-empty TensorList");
  for (const { shape } of tensors) {
    check(
      sameShape(shape, first.shape),
      () => `stack expects each tensor to be equal size, but got ${show(first.shape)} and ${show(shape)}`,
    );
  }
  const d = wrapDim(dim, first.shape.length + 1);
  return b.tensor("aten::cat", { tensors: tensors.map((tensor) => emit(b).unsqueeze(tensor, d)), dim: d });
}

/** Adds dimensions of size 1 as `atleast_1d`, `atleast_2d` and `atleast_3d` do. */
function atLeast(self: TensorMeta, rank: 1 | 2 | 3, b: Builder): TensorMeta {
  const { shape } = self;
  if (shape.length >= rank) return self;
  const size = shape[0] ?? 1;
  const added = { 1: [size], 2: [1, size], 3: shape.length === 2 ? [...shape, 1] : [1, size, 1] }[rank];
  return emit(b).reshape(self, added);
}
