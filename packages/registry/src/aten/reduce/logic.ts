import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { type DimList, reducedDims, reducedShape } from "../support/dims.ts";
import { emit } from "../support/emit.ts";

/** Defines `any` and `all`. */
export const LOGIC_OPS: readonly OpRecord[] = [
  defineOp("aten::any(Tensor self) -> Tensor", {
    decompose: ({ self }, b) => b.tensor("aten::any.dims", { self, dim: null }),
  }),
  defineOp("aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", {
    decompose: ({ self, dim, keepdim }, b) => b.tensor("aten::any.dims", { self, dim: [dim], keepdim }),
  }),
  defineOp("aten::any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", {
    infer: ({ self, dim, keepdim }) => truth(self, dim, keepdim),
    decompose: ({ self, dim, keepdim }, b) => count(b, self, "ne", "gt", dim, keepdim),
  }),
  defineOp("aten::all(Tensor self) -> Tensor", {
    decompose: ({ self }, b) => b.tensor("aten::all.dims", { self, dim: null }),
  }),
  defineOp("aten::_is_all_true(Tensor self) -> Tensor", {
    requires: { kinds: { self: "bool" } },
    decompose: ({ self }, b) => b.tensor("aten::all", { self }),
  }),
  defineOp("aten::_is_any_true(Tensor self) -> Tensor", {
    requires: { kinds: { self: "bool" } },
    decompose: ({ self }, b) => b.tensor("aten::any", { self }),
  }),
  defineOp("aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", {
    decompose: ({ self, dim, keepdim }, b) => b.tensor("aten::all.dims", { self, dim: [dim], keepdim }),
  }),
  defineOp("aten::all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", {
    infer: ({ self, dim, keepdim }) => truth(self, dim, keepdim),
    decompose: ({ self, dim, keepdim }, b) => count(b, self, "eq", "eq", dim, keepdim),
  }),
];

/** Returns the dimensions to reduce; an explicit empty list reduces none here, unlike in `sum`. */
function dimsOf(self: TensorMeta, dim: DimList): readonly number[] {
  return Array.isArray(dim) && dim.length === 0 ? [] : reducedDims(dim, self.shape.length);
}

/** Infers the result; uint8 stays uint8, which PyTorch keeps for compatibility. */
function truth(self: TensorMeta, dim: DimList, keepdim: boolean): TensorMeta {
  return {
    dtype: self.dtype === "uint8" ? "uint8" : "bool",
    shape: reducedShape(self.shape, dimsOf(self, dim), keepdim),
  };
}

/** Compares the number of elements that are, or are not, zero with zero, which is right for empty tensors too. */
function count(
  b: Builder,
  self: TensorMeta,
  element: "ne" | "eq",
  total: "gt" | "eq",
  dim: DimList,
  keepdim: boolean,
): TensorMeta {
  const e = emit(b);
  const dims = dimsOf(self, dim);
  const result = truth(self, dim, keepdim).dtype;
  const hits = e[element](self, 0);
  const number = dims.length === 0 ? e.cast(hits, "int64") : e.sum(hits, dims, keepdim);
  return e.cast(e[total](number, 0), result);
}
