import { DTYPES } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { complexOf, partOf } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { isComplex, isFloat } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/** Defines views of the same bytes as another dtype, and complex views of real tensors. */
export const COMPLEX_OPS: readonly OpRecord[] = [
  defineOp("aten::view_as_real(Tensor(a) self) -> Tensor(a)", {
    inverse: { undo: "aten::view_as_complex" },
    infer({ self }) {
      check(isComplex(self.dtype), "view_as_real is only supported for complex tensors");
      return { dtype: partOf(self.dtype), shape: [...self.shape, 2] };
    },
  }),
  defineOp("aten::view_as_complex(Tensor(a) self) -> Tensor(a)", {
    inverse: { undo: "aten::view_as_real" },
    infer({ self }) {
      check(
        isFloat(self.dtype) && self.dtype !== "bfloat16",
        () => `view_as_complex is only supported for half, float and double tensors, but got a tensor of ${self.dtype}`,
      );
      check(self.shape.at(-1) === 2, "Tensor must have a last dimension of size 2");
      return { dtype: complexOf(self.dtype), shape: self.shape.slice(0, -1) };
    },
  }),
  defineOp("aten::view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)", {
    inverse: "dtype",
    infer: ({ self, dtype }) => reinterpret(self, DTYPES[dtype].itemsize, dtype),
    // Any byte but 0 is true, but kernels require that a bool is 0 or 1.
    decompose: ({ self, dtype }, b) =>
      dtype !== "bool" || self.dtype === "bool"
        ? null
        : b.tensor("aten::ne.Scalar", { self: b.tensor("aten::view.dtype", { self, dtype: "uint8" }), other: 0 }),
  }),
  defineOp("aten::real(Tensor(a) self) -> Tensor(a)", {
    inverse: { part: "real", other: "aten::imag" },
    complexPart: 0,
    infer: ({ self }) => partMeta(self),
    decompose: ({ self }, b) => partAt(self, 0, b),
  }),
  defineOp("aten::imag(Tensor(a) self) -> Tensor(a)", {
    inverse: { part: "imag", other: "aten::real" },
    complexPart: 1,
    infer({ self }) {
      check(isComplex(self.dtype), "imag is not implemented for tensors with non-complex dtypes.");
      return partMeta(self);
    },
    decompose: ({ self }, b) => partAt(self, 1, b),
  }),
  defineOp("aten::conj(Tensor(a) self) -> Tensor(a)", {
    inverse: { undo: "aten::conj" },
    infer: ({ self }) => self,
    decompose: ({ self }, b) => conjugate(self, b),
  }),
  defineOp("aten::_conj(Tensor(a) self) -> Tensor(a)", {
    inverse: { undo: "aten::_conj" },
    requires: { kinds: { self: "complex" } },
    infer: ({ self }) => self,
    decompose: ({ self }, b) => conjugate(self, b),
  }),
  defineOp("aten::_neg_view(Tensor(a) self) -> Tensor(a)", {
    inverse: { undo: "aten::_neg_view" },
    decompose: ({ self }, b) => b.tensor("aten::neg", { self }),
  }),
  defineOp("aten::resolve_conj(Tensor(a) self) -> Tensor(a)", { inverse: "same", decompose: ({ self }) => self }),
  defineOp("aten::resolve_neg(Tensor(a) self) -> Tensor(a)", { inverse: "same", decompose: ({ self }) => self }),
  defineOp("aten::mH(Tensor(a) self) -> Tensor(a)", {
    inverse: { undo: "aten::mH" },
    decompose: ({ self }, b) => conjugate(b.tensor("aten::mT", { self }), b),
  }),
  defineOp("aten::adjoint(Tensor(a) self) -> Tensor(a)", {
    inverse: { undo: "aten::adjoint" },
    decompose: ({ self }, b) => conjugate(b.tensor("aten::mT", { self }), b),
  }),
  defineOp("aten::matrix_H(Tensor(a) self) -> Tensor(a)", {
    inverse: { undo: "aten::matrix_H" },
    decompose: ({ self }, b) => conjugate(b.tensor("aten::t", { self }), b),
  }),
];

function partAt(self: TensorMeta, index: 0 | 1, b: Builder): TensorMeta {
  return isComplex(self.dtype) ? emit(b).select(b.tensor("aten::view_as_real", { self }), -1, index) : self;
}

function conjugate(self: TensorMeta, b: Builder): TensorMeta {
  return isComplex(self.dtype) ? b.tensor("aten::conj_physical", { self }) : self;
}

function partMeta({ dtype, shape }: TensorMeta): TensorMeta {
  return { dtype: partOf(dtype), shape };
}

function reinterpret({ dtype: from, shape }: TensorMeta, itemsize: number, dtype: TensorMeta["dtype"]): TensorMeta {
  const last = ((shape.at(-1) ?? 1) * DTYPES[from].itemsize) / itemsize;
  check(Number.isInteger(last), `self.size(-1) must be divisible to view ${from} as ${dtype}`);
  check(shape.length > 0 || last === 1, "self.dim() cannot be 0 to view a tensor as a dtype of another size");
  return { dtype, shape: shape.length === 0 ? [] : [...shape.slice(0, -1), last] };
}
