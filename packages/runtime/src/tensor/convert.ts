import { type HostTensor, hostTensor, type TypedArray, viewAs } from "@pt2/backend";
import { DTYPES, type DType, floatToBits, isSmallFloat } from "@pt2/format";
import { runtimeError } from "../runtime-errors.ts";

/** Elements as JavaScript values. */
export type Elements = readonly (number | bigint | boolean)[];

/** Makes a tensor of numbers, rounded to a float dtype. A number that an integer dtype cannot hold is rejected. */
export function fromElements<D extends DType>(dtype: D, shape: readonly number[], elements: Elements): HostTensor<D> {
  // The places of an array that were never written count too.
  const other = elements.findIndex((element) => !["number", "bigint", "boolean"].includes(typeof element));
  if (DTYPES[dtype].kind === "complex")
    throw refuse(dtype, elements[Math.max(other, 0)], "pass pairs of numbers in a typed array");
  if (other >= 0) throw refuse(dtype, elements[other], "pass numbers, bigints or booleans");
  return hostTensor(dtype, shape, convert(dtype, elements));
}

function convert(dtype: DType, elements: Elements): TypedArray {
  const { kind, itemsize } = DTYPES[dtype];
  const data = viewAs(dtype, new Uint8Array(elements.length * itemsize));
  const isWide = kind.endsWith("int") && itemsize === 8;
  for (const [i, element] of elements.entries()) {
    if (kind === "bool") data[i] = element ? 1 : 0;
    else if (kind === "float") data[i] = isSmallFloat(dtype) ? floatToBits(dtype, Number(element)) : Number(element);
    else {
      if (typeof element === "number" && !Number.isSafeInteger(element))
        throw refuse(dtype, element, "round it first; beyond 2^53 pass a bigint");
      data[i] = isWide ? BigInt(element) : Number(element);
      if (BigInt(data[i]!) !== BigInt(element)) throw refuse(dtype, element, "choose a wider dtype");
    }
  }
  return data;
}

function refuse(dtype: DType, element: unknown, advice: string): Error {
  const given = ["string", "object"].includes(typeof element) ? JSON.stringify(element) : element;
  return runtimeError("runtime.tensor", { what: `${given} is not a valid ${dtype} value`, advice });
}
