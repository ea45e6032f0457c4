import { DTYPES, type DType } from "@pt2/format";
import type { TensorView } from "./tensor-view.ts";

/** The complex dtypes, whose numbers are interleaved, with the dtypes of their real and imaginary parts. */
const PARTS: { readonly [D in DType]?: DType } = { complex32: "float16", complex64: "float32", complex128: "float64" };

/** Whether elements are complex numbers. */
export function isComplexDtype(dtype: DType): boolean {
  return DTYPES[dtype].kind === "complex";
}

/** Views a complex tensor as its parts, in a last dimension of two; any other tensor stays as it is. */
export function inParts<Handle>(view: TensorView<Handle>): TensorView<Handle> {
  if (!isComplexDtype(view.dtype)) return view;
  const { shape, strides } = view;
  return { ...partOf(view, 0), shape: [...shape, 2], strides: [...strides.map((stride) => 2 * stride), 1] };
}

/** Views the real (0) or the imaginary (1) parts of a complex tensor. */
export function partOf<Handle>(view: TensorView<Handle>, part: 0 | 1): TensorView<Handle> {
  const { dtype, strides, offset } = view;
  return { ...view, dtype: partDtype(dtype), strides: strides.map((stride) => 2 * stride), offset: 2 * offset + part };
}

/** Returns the dtype of the real and imaginary parts of complex numbers. */
export function partDtype(dtype: DType): DType {
  return PARTS[dtype]!;
}

/** Whether numbers of dtype `a` are the parts of numbers of dtype `b`. */
export function areParts(a: DType, b: DType): boolean {
  return PARTS[a] === b || PARTS[b] === a;
}
