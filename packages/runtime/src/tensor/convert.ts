import { type HostTensor, hostTensor, type TypedArray } from "@pt2/backend";
import { DTYPES, type DType, floatToBits, isSmallFloat } from "@pt2/format";
import { runtimeError } from "../runtime-errors.ts";

/** Elements as JavaScript values. */
export type Elements = readonly (number | bigint | boolean)[];

/** Makes a tensor of numbers, rounded to a float dtype. A number that an integer dtype cannot hold is rejected. */
export function fromElements<D extends DType>(dtype: D, shape: readonly number[], elements: Elements): HostTensor<D> {
  const other = elements.find((element) => !["number", "bigint", "boolean"].includes(typeof element));
  if (other !== undefined) throw refuse(dtype, other, "pass numbers, bigints or booleans");
  return hostTensor(dtype, shape, convert(dtype, elements));
}

function convert(dtype: DType, elements: Elements): TypedArray {
  const { kind, itemsize } = DTYPES[dtype];
  if (isSmallFloat(dtype)) {
    const bits = elements.map((element) => floatToBits(dtype, Number(element)));
    return itemsize === 1 ? Uint8Array.from(bits) : Uint16Array.from(bits);
  }
  if (dtype === "float32") return Float32Array.from(elements, Number);
  if (dtype === "float64") return Float64Array.from(elements, Number);
  if (dtype === "bool") return Uint8Array.from(elements, (element) => (element ? 1 : 0));
  if (kind === "complex") throw refuse(dtype, elements[0], "pass pairs of numbers in a typed array");
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
