import { DTYPES, type DType, type DTypeKind } from "@pt2/format";
import { registryError } from "./registry-errors.ts";
import type { TensorMeta } from "./tensor-meta.ts";

/** What a Python float becomes when nothing else decides. */
export const DEFAULT_DTYPE: DType = "float32";

const COMPLEX_PARTS: Readonly<Record<string, DType>> = {
  complex32: "float16",
  complex64: "float32",
  complex128: "float64",
};

/** The dtype that two dtypes meet in: `torch.promote_types`. Throws `registry.dtype` where PyTorch refuses. */
export function promoteTypes(a: DType, b: DType): DType {
  if (a === b) return a;
  const [x, y] = [DTYPES[a].kind, DTYPES[b].kind];
  if (isFloat8(a) || isFloat8(b) || isBareUnsigned(a, y) || isBareUnsigned(b, x)) throw noPromotion(a, b);
  if (x === "complex" || y === "complex") return complexOf(promoteFloats(partOf(a), partOf(b)));
  if (x === "float" || y === "float") return promoteFloats(a, b);
  if (x === "bool") return b;
  if (y === "bool") return a;
  return promoteInts(a, b);
}

/** The dtype of an elementwise op over `operands`: `torch.result_type`. */
export function resultType(operands: readonly TensorMeta[]): DType {
  let withDims: DType | null = null;
  let zeroDims: DType | null = null;
  let numbers: DType | null = null;
  for (const operand of operands) {
    const dtype = categoryDtype(operand);
    if (operand.shape.length > 0) withDims = promoteTypes(withDims ?? dtype, dtype);
    else if (isNumber(operand)) numbers = promoteTypes(numbers ?? dtype, dtype);
    else zeroDims = promoteTypes(zeroDims ?? dtype, dtype);
  }
  return combine(withDims, combine(zeroDims, numbers)) ?? DEFAULT_DTYPE;
}

export type HalfDType = "float16" | "bfloat16";

export function isHalfPrecision(dtype: DType): dtype is HalfDType {
  return dtype === "float16" || dtype === "bfloat16";
}

/** What PyTorch's kernels compute in: float32 for half precision, else the dtype itself. */
export function computeDtype(dtype: DType): DType {
  return isHalfPrecision(dtype) ? "float32" : dtype;
}

/** dtype of a complex number with such parts. */
export function complexOf(dtype: DType): DType {
  if (dtype === "float16") return "complex32";
  return dtype === "float64" ? "complex128" : "complex64";
}

/** dtype of a complex number's parts; any other dtype itself. */
export function partOf(dtype: DType): DType {
  return COMPLEX_PARTS[dtype] ?? dtype;
}

/**
 * Tensors with dimensions before 0-d tensors before Python numbers: `higher` decides, unless `lower` is of a higher
 * category.
 */
function combine(higher: DType | null, lower: DType | null): DType | null {
  if (higher === null || lower === null) return higher ?? lower;
  const [x, y] = [DTYPES[higher].kind, DTYPES[lower].kind];
  if (x === "complex") return higher;
  if (y === "complex") {
    if (isFloat8(higher)) throw noPromotion(higher, lower);
    return x === "float" ? complexOf(higher) : lower;
  }
  return x === "bool" || (y === "float" && x !== "float") ? promoteTypes(higher, lower) : higher;
}

function isNumber({ wrapped, number }: TensorMeta): boolean {
  return wrapped !== undefined || number !== undefined;
}

/** A Python number counts with its category: a float is of the default dtype. */
function categoryDtype(operand: TensorMeta): DType {
  const { dtype } = operand;
  if (!isNumber(operand)) return dtype;
  const { kind } = DTYPES[dtype];
  if (kind === "float") return DEFAULT_DTYPE;
  return kind === "complex" ? complexOf(DEFAULT_DTYPE) : dtype;
}

function promoteFloats(a: DType, b: DType): DType {
  if (DTYPES[a].kind !== "float") return DTYPES[b].kind === "float" ? b : "bool";
  if (DTYPES[b].kind !== "float" || a === b) return a;
  if (DTYPES[a].itemsize === DTYPES[b].itemsize) return "float32";
  return DTYPES[a].itemsize > DTYPES[b].itemsize ? a : b;
}

function promoteInts(a: DType, b: DType): DType {
  const [small, large] = DTYPES[a].itemsize <= DTYPES[b].itemsize ? [a, b] : [b, a];
  return DTYPES[small].itemsize === DTYPES[large].itemsize ? "int16" : large;
}

/** uint16, uint32 and uint64 meet floats only. */
function isBareUnsigned(dtype: DType, other: DTypeKind): boolean {
  return DTYPES[dtype].kind === "uint" && DTYPES[dtype].itemsize > 1 && other !== "float";
}

/** Floats of eight bits, which are converted, and with which nothing is computed. */
export function isFloat8(dtype: DType): boolean {
  return DTYPES[dtype].kind === "float" && DTYPES[dtype].itemsize === 1;
}

function noPromotion(a: DType, b: DType): Error {
  return registryError("registry.dtype", {
    what: `Promotion of ${a} and ${b} is not supported`,
    advice: "convert one operand explicitly before the op",
  });
}
