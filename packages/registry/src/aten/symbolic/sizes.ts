import { contiguousStrides } from "@pt2/format";
import { defineOp, type OpRecord } from "../../op.ts";
import { numel, wrapDim } from "../support/dims.ts";

/**
 * Defines numbers that follow from shapes, and are known as soon as shapes are. Strides are those of a contiguous
 * tensor.
 */
export const SIZE_OPS: readonly OpRecord[] = [
  defineOp("aten::sym_size.int(Tensor self, int dim) -> SymInt", {
    infer: ({ self, dim }) => self.shape[wrapDim(dim, self.shape.length)]!,
  }),
  defineOp("aten::sym_size(Tensor self) -> SymInt[]", { infer: ({ self }) => self.shape }),
  defineOp("aten::size.int(Tensor self, int dim) -> int", {
    infer: ({ self, dim }) => self.shape[wrapDim(dim, self.shape.length)]!,
  }),
  defineOp("aten::size(Tensor self) -> int[]", { infer: ({ self }) => self.shape }),
  defineOp("aten::sym_stride.int(Tensor self, int dim) -> SymInt", {
    infer: ({ self, dim }) => contiguousStrides(self.shape)[wrapDim(dim, self.shape.length)]!,
  }),
  defineOp("aten::sym_stride(Tensor self) -> SymInt[]", { infer: ({ self }) => contiguousStrides(self.shape) }),
  defineOp("aten::sym_numel(Tensor self) -> SymInt", { infer: ({ self }) => numel(self.shape) }),
  defineOp("aten::numel(Tensor self) -> int", { infer: ({ self }) => numel(self.shape) }),
  defineOp("aten::dim(Tensor self) -> int", { infer: ({ self }) => self.shape.length }),
  defineOp("aten::sym_storage_offset(Tensor self) -> SymInt", { infer: () => 0 }),
  defineOp("aten::is_floating_point(Tensor self) -> bool", { infer: ({ self }) => /^b?float/.test(self.dtype) }),
  defineOp("aten::is_complex(Tensor self) -> bool", { infer: ({ self }) => self.dtype.startsWith("complex") }),
];
