import type { HostTensor, TypedArray } from "@pt2/backend";
import { hostTensor, requireType } from "@pt2/backend";
import { DTYPES, type DType, floatToBits, isSmallFloat } from "@pt2/format";
import { runtimeError } from "./runtime-errors.ts";

/** Elements as JavaScript values. */
export type Elements = readonly (number | bigint | boolean)[];

/**
 * Creates a tensor from elements in row-major order. A typed array is used without a copy: `float16`, `bfloat16` and
 * `float8` as their bits, `bool` as bytes. An array of numbers is converted; a number that an integer dtype cannot hold
 * is rejected.
 */
export function tensor<D extends DType>(
  dtype: D,
  shape: readonly number[],
  data: TypedArray | Elements,
): HostTensor & { readonly dtype: D } {
  requireType(dtype, shape);
  const elements = ArrayBuffer.isView(data) ? data : convert(dtype, requireFlat(data));
  return hostTensor(dtype, shape, elements) as HostTensor & { readonly dtype: D };
}

/** Throws if the data is not a flat array of elements. */
function requireFlat(data: unknown): Elements {
  if (!Array.isArray(data)) {
    throw runtimeError("runtime.tensor", {
      what: `${typeof data === "object" && data !== null ? `a ${data.constructor?.name ?? "object"}` : String(data)} is not an array of elements`,
      advice: "pass a typed array, or an array of numbers",
    });
  }
  const nested = data.find((element) => typeof element === "object" && element !== null);
  if (nested === undefined) return data;
  throw runtimeError("runtime.tensor", {
    what: "The elements are nested arrays",
    advice: "pass one flat array in row-major order, such as rows.flat(Infinity)",
  });
}

function convert(dtype: DType, elements: Elements): TypedArray {
  const { kind } = DTYPES[dtype];
  if (isSmallFloat(dtype)) {
    const bits = elements.map((element) => floatToBits(dtype, Number(element)));
    return DTYPES[dtype].itemsize === 1 ? Uint8Array.from(bits) : Uint16Array.from(bits);
  }
  if (dtype === "float32") return Float32Array.from(elements, Number);
  if (dtype === "float64") return Float64Array.from(elements, Number);
  if (dtype === "bool") return Uint8Array.from(elements, (element) => (element ? 1 : 0));
  if (kind === "complex") throw refuse(dtype, elements[0], "pass pairs of numbers in the dtype's typed array");
  return integers(dtype, elements);
}

const INTEGERS: Readonly<Partial<Record<DType, (elements: Elements) => TypedArray>>> = {
  uint8: (elements) => Uint8Array.from(elements, Number),
  int8: (elements) => Int8Array.from(elements, Number),
  uint16: (elements) => Uint16Array.from(elements, Number),
  int16: (elements) => Int16Array.from(elements, Number),
  uint32: (elements) => Uint32Array.from(elements, Number),
  int32: (elements) => Int32Array.from(elements, Number),
  int64: (elements) => BigInt64Array.from(elements, BigInt),
  uint64: (elements) => BigUint64Array.from(elements, BigInt),
};

function integers(dtype: DType, elements: Elements): TypedArray {
  const bad = elements.find((element) => typeof element === "number" && !Number.isSafeInteger(element));
  if (bad !== undefined) throw refuse(dtype, bad, "round it first; beyond 2^53 pass a bigint");
  const result = INTEGERS[dtype]!(elements);
  const lost = elements.find((element, i) => BigInt(element) !== BigInt(result[i]!));
  if (lost !== undefined) throw refuse(dtype, lost, "choose a wider dtype");
  return result;
}

function refuse(dtype: DType, element: unknown, advice: string): Error {
  return runtimeError("runtime.tensor", { what: `${element} is not a valid ${dtype} value`, advice });
}
