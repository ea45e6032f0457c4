import { DTYPES } from "@pt2/format";
import type { SchemaType } from "@pt2/registry";
import { isComplex, isNumber, isTensor } from "./given.ts";

const LAYOUTS = /^(strided|sparse_coo|sparse_csr|sparse_csc|sparse_bsr|sparse_bsc|_mkldnn)$/;
const MEMORY_FORMATS = /^(contiguous_format|preserve_format|channels_last|channels_last_3d)$/;
const DEVICES = /^(cpu|cuda|meta|mps|xpu|hpu|xla|privateuseone)(:\d+)?$/;

/**
 * Returns whether a value fits a type, as the argument parser of PyTorch's Python bindings decides it. `numbers` says
 * whether the op takes numbers for tensors. A 0-d tensor is no number here: its value is not known when the call is
 * made.
 */
export function fits(value: unknown, type: SchemaType, numbers: boolean): boolean {
  if (type.kind === "optional") return value === null || fits(value, type.inner, numbers);
  if (type.kind === "base") return fitsBase(value, type.base, numbers);
  if (type.kind !== "list") return false;
  const { inner, size } = type;
  if (Array.isArray(value)) return value.every((item) => fits(item, inner, false));
  const spread = inner.kind === "base" && /^(int|SymInt|float)$/.test(inner.base);
  return size !== null && spread && fits(value, inner, false);
}

function fitsBase(value: unknown, base: string, numbers: boolean): boolean {
  switch (base) {
    case "Tensor":
      return isTensor(value) || (numbers && isNumber(value));
    case "Scalar":
    case "number":
    case "complex":
      return isNumber(value);
    case "int":
    case "SymInt":
      return typeof value === "bigint" || Number.isInteger(value);
    case "float":
    case "SymFloat":
      return isNumber(value) && !isComplex(value);
    case "bool":
    case "SymBool":
      return typeof value === "boolean";
    default:
      return fitsName(value, base);
  }
}

function fitsName(value: unknown, base: string): boolean {
  if (base === "Generator") return value === null;
  if (typeof value !== "string") return false;
  switch (base) {
    case "str":
      return true;
    case "ScalarType":
      return Object.hasOwn(DTYPES, value);
    case "Layout":
      return LAYOUTS.test(value);
    case "MemoryFormat":
      return MEMORY_FORMATS.test(value);
    case "Device":
      return DEVICES.test(value);
    default:
      return false;
  }
}

/**
 * Returns a value that fits a type with -0 as the int of Python that it is: 0. Where only a float fits, it stays what a
 * float of Python may be, as in `{ float: -0 }`.
 */
export function withoutNegativeZero(value: unknown, type: SchemaType): unknown {
  if (type.kind === "optional") return withoutNegativeZero(value, type.inner);
  const item = type.kind === "list" ? type.inner : type;
  if (Array.isArray(value)) return value.map((each) => withoutNegativeZero(each, item));
  const isFloat = item.kind === "base" && /^(float|SymFloat)$/.test(item.base);
  return Object.is(value, -0) && !isFloat ? 0 : value;
}
