import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { numel, sameShape } from "../support/dims.ts";
import { checkIndex } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/** Defines the inverse of max pooling. */
export const UNPOOL_OPS: readonly OpRecord[] = [
  defineOp("aten::max_unpool2d(Tensor self, Tensor indices, SymInt[2] output_size) -> Tensor", {
    requires: { lengths: { output_size: 2 } },
    decompose: ({ self, indices, output_size }, b) => unpool(b, self, indices, output_size),
  }),
  defineOp(
    "aten::max_unpool3d(Tensor self, Tensor indices, SymInt[3] output_size, int[3] stride, int[3] padding) -> Tensor",
    {
      requires: { lengths: { output_size: 3, stride: 3, padding: 3 } },
      validate: ({ stride }) =>
        stride.every((step) => step > 0)
          ? null
          : `strides should be greater than zero, but got stride: ${show(stride)}`,
      decompose: ({ self, indices, output_size }, b) => unpool(b, self, indices, output_size),
    },
  ),
];

/** Writes every value back to the position of the maximum; other elements are zero. */
function unpool(b: Builder, self: TensorMeta, indices: TensorMeta, size: readonly number[]): TensorMeta {
  const e = emit(b);
  const lead = self.shape.slice(0, -size.length);
  checkIndex("max_unpool", indices, false);
  check(
    self.shape.length === size.length + 1 || self.shape.length === size.length + 2,
    () =>
      `max_unpool: expected a tensor of ${size.length + 1} or ${size.length + 2} dimensions, got ${show(self.shape)}`,
  );
  check(
    sameShape(self.shape, indices.shape),
    () =>
      `Expected shape of indices to be same as that of the input tensor (${show(self.shape)}) but got indices tensor with shape: ${show(indices.shape)}`,
  );
  const rows = [numel(lead), numel(self.shape.slice(-size.length))];
  const canvas = e.full([rows[0]!, numel(size)], 0, self.dtype);
  const filled = b.tensor("aten::scatter.src", {
    self: canvas,
    dim: 1,
    index: e.reshape(indices, rows),
    src: e.reshape(self, rows),
  });
  return e.reshape(filled, [...lead, ...size]);
}
