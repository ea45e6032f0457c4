import { DTYPES, type DType } from "@pt2/format";
import { registryError } from "./registry-errors.ts";
import type { ArgValue, TensorMeta } from "./tensor-meta.ts";
import { isTensorMeta } from "./wrapped.ts";

/** The dtype of a Python float if no operand determines one. */
export const DEFAULT_DTYPE: DType = "float32";

const COMPLEX_PARTS: Readonly<Record<string, DType>> = {
  complex32: "float16",
  complex64: "float32",
  complex128: "float64",
};

/**
 * Returns the dtype that two dtypes promote to, like `torch.promote_types`. Throws `registry.dtype` where PyTorch
 * fails.
 */
export function promoteTypes(a: DType, b: DType): DType {
  if (a === b) return a;
  const [x, y] = [DTYPES[a].kind, DTYPES[b].kind];
  if (isFloat8(a) || isFloat8(b) || (isBareUnsigned(a) && y !== "float") || (isBareUnsigned(b) && x !== "float"))
    throw noPromotion(a, b);
  if (x === "complex" || y === "complex") return complexOf(promoteFloats(partOf(a), partOf(b)));
  if (x === "float" || y === "float") return promoteFloats(a, b);
  if (x === "bool") return b;
  if (y === "bool") return a;
  return promoteInts(a, b);
}

/** Returns the dtype of an elementwise op over `operands`, like `torch.result_type`. */
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

/** Returns the dtype that PyTorch's kernels compute in: float32 for half precision, else the dtype itself. */
export function computeDtype(dtype: DType): DType {
  return isHalfPrecision(dtype) ? "float32" : dtype;
}

/** Returns the complex dtype whose parts have this dtype. */
export function complexOf(dtype: DType): DType {
  if (dtype === "float16") return "complex32";
  return dtype === "float64" ? "complex128" : "complex64";
}

/** Returns the dtype of a complex number's parts; returns any other dtype unchanged. */
export function partOf(dtype: DType): DType {
  return COMPLEX_PARTS[dtype] ?? dtype;
}

/**
 * Combines two categories of operands, of which tensors with dimensions come before 0-d tensors and these before Python
 * numbers: `higher` decides unless `lower` is of a higher kind.
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

/** Returns the dtype that stands for an operand in promotion; a Python float counts as the default dtype. */
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

const BARE: ReadonlySet<unknown> = new Set(["uint16", "uint32", "uint64"]);

/**
 * Returns whether an argument is uint16, uint32 or uint64, or has tensors of these: they promote with floats only, and few
 * kernels take them.
 */
export function isBareUnsigned(value: ArgValue | undefined): boolean {
  return Array.isArray(value) ? value.some(isBareUnsigned) : BARE.has(isTensorMeta(value) ? value.dtype : value);
}

/** Returns whether a dtype is a float8 dtype: these are converted, but nothing computes with them. */
export function isFloat8(dtype: DType): boolean {
  return DTYPES[dtype].kind === "float" && DTYPES[dtype].itemsize === 1;
}

function noPromotion(a: DType, b: DType): Error {
  return registryError("registry.dtype", {
    what: `Promotion of ${a} and ${b} is not supported`,
    advice: "convert one operand explicitly before the op",
  });
}
