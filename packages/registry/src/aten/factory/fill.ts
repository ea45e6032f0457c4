import { DTYPES, type DType } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { DEFAULT_DTYPE } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import { convert } from "../../scalar/convert.ts";
import type { ScalarExpr } from "../../scalar/expr.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { isTensorMeta, pythonDtype } from "../../wrapped.ts";
import { check, show } from "../support/check.ts";
import { emit } from "../support/emit.ts";

/**
 * Defines tensors of one value. All decompose into `full`, which is one expanded element unless a backend has a kernel
 * for it. `empty` is zeros: a program that depends on uninitialized memory has no correct result.
 */
export const FILL_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::scalar_tensor(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      requires: { elements: { s: "float32" } },
      scalar: (value, dtype) => literal(value, dtype ?? DEFAULT_DTYPE),
      promote: ({ dtype }) => ({ kind: "numeric", operands: [], result: dtype ?? DEFAULT_DTYPE }),
    },
  ),
  defineOp(
    "aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      numbers: ["fill_value"],
      requires: { elements: { fill_value: "" } },
      infer: ({ size, fill_value, dtype }) => filled(size, dtype ?? dtypeOf(fill_value)),
      decompose({ size, fill_value, dtype }, b) {
        const one = b.tensor("aten::scalar_tensor", { s: fill_value, dtype: dtype ?? dtypeOf(fill_value) });
        return emit(b).expand(one, filled(size, one.dtype).shape);
      },
    },
  ),
  defineOp(
    "aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    { decompose: ({ size, dtype }, b) => constant(size, 0, dtype, b) },
  ),
  defineOp(
    "aten::ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    { decompose: ({ size, dtype }, b) => constant(size, 1, dtype, b) },
  ),
  defineOp(
    "aten::empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
    { decompose: ({ size, dtype }, b) => constant(size, 0, dtype, b) },
  ),
  defineOp(
    "aten::empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      decompose: ({ size, stride, dtype }, b) => {
        checkStrides(size, stride);
        return constant(size, 0, dtype, b);
      },
    },
  ),
  defineOp(
    "aten::empty_permuted(SymInt[] size, int[] physical_layout, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      decompose: ({ size, physical_layout, dtype }, b) => {
        const sorted = physical_layout.toSorted((x, y) => x - y);
        check(
          sorted.length === size.length && sorted.every((dim, i) => dim === i),
          () => `physical_layout must have each of the ${size.length} dimensions once, got ${show(physical_layout)}`,
        );
        return constant(size, 0, dtype, b);
      },
    },
  ),
  defineOp(
    "aten::full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
    {
      numbers: ["fill_value"],
      requires: { elements: { fill_value: "self" } },
      decompose: ({ self, fill_value, dtype }, b) => likeOf(self, fill_value, dtype, b),
    },
  ),
  defineOp(
    "aten::zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
    { decompose: ({ self, dtype }, b) => likeOf(self, 0, dtype, b) },
  ),
  defineOp(
    "aten::ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
    { decompose: ({ self, dtype }, b) => likeOf(self, 1, dtype, b) },
  ),
  defineOp(
    "aten::empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
    { decompose: ({ self, dtype }, b) => likeOf(self, 0, dtype, b) },
  ),
  defineOp(
    "aten::new_full(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      numbers: ["fill_value"],
      requires: { elements: { fill_value: "self" } },
      decompose: ({ self, size, fill_value, dtype }, b) => constant(size, fill_value, dtype ?? self.dtype, b),
    },
  ),
  defineOp(
    "aten::new_zeros(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    { decompose: ({ self, size, dtype }, b) => constant(size, 0, dtype ?? self.dtype, b) },
  ),
  defineOp(
    "aten::new_ones(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    { decompose: ({ self, size, dtype }, b) => constant(size, 1, dtype ?? self.dtype, b) },
  ),
  defineOp(
    "aten::new_empty(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    { decompose: ({ self, size, dtype }, b) => constant(size, 0, dtype ?? self.dtype, b) },
  ),
  defineOp(
    "aten::new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      decompose: ({ self, size, stride, dtype }, b) => {
        checkStrides(size, stride);
        return constant(size, 0, dtype ?? self.dtype, b);
      },
    },
  ),
];

function checkStrides(size: readonly number[], stride: readonly number[]): void {
  check(
    size.length === stride.length,
    () => `dimensionality of sizes (${size.length}) must match dimensionality of strides (${stride.length})`,
  );
  check(
    stride.every((step) => step >= 0),
    () => `strides must not be negative, got ${show(stride)}`,
  );
}

function filled(shape: readonly number[], dtype: DType): TensorMeta {
  const negative = shape.find((size) => size < 0);
  check(
    negative === undefined,
    () => `Trying to create tensor with negative dimension ${negative}: [${shape.join(", ")}]`,
  );
  return { dtype, shape };
}

/** Returns the dtype of `torch.full` for a Python number. */
function dtypeOf(value: Scalar | TensorMeta): DType {
  const dtype = isTensorMeta(value) ? value.dtype : pythonDtype(value);
  if (dtype === "float64") return DEFAULT_DTYPE;
  return dtype === "complex128" ? "complex64" : dtype;
}

function constant(size: readonly number[], value: Scalar, dtype: DType | null, b: Builder): TensorMeta {
  return emit(b).full(size, value, dtype ?? DEFAULT_DTYPE);
}

function likeOf(self: TensorMeta, value: Scalar, dtype: DType | null, b: Builder): TensorMeta {
  return emit(b).full(self.shape, value, dtype ?? self.dtype);
}

/** Converts the number to the dtype: `2.5` in an integer tensor is 2. */
function literal(value: ScalarExpr, dtype: DType): ScalarExpr {
  if (value.kind !== "const" || DTYPES[dtype].kind === "complex") return value;
  return { kind: "const", value: convert(dtype, value.value) };
}
