import { broadcastShapes } from "../../broadcast.ts";
import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { numel, wrapDim } from "../support/dims.ts";
import { emit } from "../support/emit.ts";

/** Defines repetition, all of it by expanded views. */
export const REPEAT_OPS: readonly OpRecord[] = [
  defineOp("aten::repeat(Tensor self, SymInt[] repeats) -> Tensor", {
    decompose: ({ self, repeats }, b) => repeat(self, repeats, b),
  }),
  defineOp("aten::tile(Tensor self, SymInt[] dims) -> Tensor", {
    decompose({ self, dims }, b) {
      const missing = Math.max(0, self.shape.length - dims.length);
      return repeat(self, [...new Array<number>(missing).fill(1), ...dims], b);
    },
  }),
  defineOp(
    "aten::repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor",
    {
      decompose({ self, repeats, dim, output_size }, b) {
        const flat = dim === null ? emit(b).reshape(self, [numel(self.shape)]) : self;
        const d = wrapDim(dim ?? 0, flat.shape.length);
        check(repeats >= 0, "Repeats must be non-negative");
        const total = (flat.shape[d] ?? 1) * repeats;
        check(output_size === null || output_size === total, "repeat_interleave: Invalid output_size");
        return interleave(flat, repeats, d, b);
      },
    },
  ),
  defineOp("aten::broadcast_tensors(Tensor[] tensors) -> Tensor[]", {
    decompose({ tensors }, b) {
      const shape = broadcastShapes(tensors.map((tensor) => tensor.shape));
      return tensors.map((tensor) => emit(b).expand(tensor, shape));
    },
  }),
  defineOp("aten::meshgrid(Tensor[] tensors) -> Tensor[]", {
    requires: { same: ["tensors"], ranks: { tensors: [0, 1] } },
    decompose: ({ tensors }, b) => meshgrid(tensors, "ij", b),
  }),
  defineOp("aten::meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]", {
    requires: { same: ["tensors"], ranks: { tensors: [0, 1] } },
    decompose: ({ tensors, indexing }, b) => meshgrid(tensors, indexing, b),
  }),
];

function repeat(self: TensorMeta, repeats: readonly number[], b: Builder): TensorMeta {
  const { reshape, expand } = emit(b);
  const missing = repeats.length - self.shape.length;
  check(missing >= 0, "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
  check(
    repeats.every((count) => count >= 0),
    () => `Trying to create tensor with negative dimension: repeats are ${show(repeats)}`,
  );
  const shape = [...new Array<number>(missing).fill(1), ...self.shape];
  const total = shape.map((size, d) => size * repeats[d]!);
  if (total.includes(0)) return emit(b).full(total, 0, self.dtype);
  const apart = reshape(
    self,
    shape.flatMap((size) => [1, size]),
  );
  return reshape(
    expand(
      apart,
      shape.flatMap((size, d) => [repeats[d]!, size]),
    ),
    total,
  );
}

function interleave(self: TensorMeta, repeats: number, d: number, b: Builder): TensorMeta {
  const { reshape, expand, unsqueeze, full } = emit(b);
  const source = self.shape.length === 0 ? reshape(self, [1]) : self;
  const { shape } = source;
  const total = shape.map((size, i) => (i === d ? size * repeats : size));
  if (total.includes(0)) return full(total, 0, self.dtype);
  const apart = unsqueeze(source, d + 1);
  return reshape(expand(apart, [...shape.slice(0, d + 1), repeats, ...shape.slice(d + 1)]), total);
}

function meshgrid(tensors: readonly TensorMeta[], indexing: string, b: Builder): readonly TensorMeta[] {
  const { reshape, expand } = emit(b);
  check(tensors.length > 0, "meshgrid expects a non-empty TensorList");
  check(
    indexing === "ij" || indexing === "xy",
    `torch.meshgrid: indexing must be one of "xy" or "ij", but received: ${indexing}`,
  );
  const swapped = indexing === "xy" && tensors.length >= 2;
  const axes = swapped ? [tensors[1]!, tensors[0]!, ...tensors.slice(2)] : tensors;
  const shape = axes.map((axis) => numel(axis.shape));
  const grids = axes.map((axis, i) =>
    expand(
      reshape(
        axis,
        shape.map((size, d) => (d === i ? size : 1)),
      ),
      shape,
    ),
  );
  if (!swapped) return grids;
  return [grids[1]!, grids[0]!, ...grids.slice(2)];
}
