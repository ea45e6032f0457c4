import { backendError, numel, viewAs } from "@pt2/backend";
import { bitsToFloat, DTYPES, type DType, floatToBits, isSmallFloat } from "@pt2/format";
import { convert } from "@pt2/registry/scalar";
import type { HostData, TensorType } from "../staged/run-value.ts";

/** A row-major tensor in double precision. In a complex one, real and imaginary parts alternate. */
export interface HostArray {
  readonly shape: readonly number[];
  readonly complex: boolean;
  readonly data: Float64Array;
}

/** Returns a copy of the elements of a tensor as numbers. */
export function hostArray({ dtype, shape, bytes }: HostData): HostArray {
  const array = viewAs(dtype, bytes);
  const isComplex = DTYPES[dtype].kind === "complex";
  if (isPlain(array)) return { shape, complex: isComplex, data: new Float64Array(array) };
  const data = new Float64Array(array.length);
  const small = isSmallFloat(dtype);
  for (let i = 0; i < data.length; i++) data[i] = small ? bitsToFloat(dtype, Number(array[i])) : Number(array[i]);
  return { shape, complex: isComplex, data };
}

/** Makes a tensor of numbers, each converted to the tensor's dtype. */
export function hostData({ dtype, shape }: TensorType, values: ArrayLike<number | bigint>): HostData {
  const bytes = new Uint8Array(numel(shape) * DTYPES[dtype].itemsize);
  const wanted = bytes.byteLength / numberBytes(dtype);
  if (values.length !== wanted) {
    throw backendError("backend.data", {
      what: `A result of shape [${shape.join(", ")}] has ${wanted} numbers, ${values.length} were computed`,
      advice: "Check the values that the program computes this from.",
    });
  }
  const array = viewAs(dtype, bytes);
  if (values instanceof Float64Array && isPlain(array)) {
    array.set(values);
    return { dtype, shape, bytes };
  }
  const small = isSmallFloat(dtype);
  const big = array instanceof BigInt64Array || array instanceof BigUint64Array;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    array[i] = small ? floatToBits(dtype, Number(value)) : big ? (convert(dtype, value) as bigint) : Number(value);
  }
  return { dtype, shape, bytes };
}

/** Whether elements are floating-point numbers that the engine converts by itself, all at once. */
function isPlain(array: unknown): array is Float32Array | Float64Array {
  return array instanceof Float32Array || array instanceof Float64Array;
}

/** Returns the bytes of one number: half an element of a complex dtype. */
function numberBytes(dtype: DType): number {
  const { itemsize, kind } = DTYPES[dtype];
  return kind === "complex" ? itemsize / 2 : itemsize;
}
