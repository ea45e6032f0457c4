import type { TensorMeta } from "@pt2/registry";

/** The elements of a floating point tensor, as functions on host memory are given them: numbers, also of float16. */
export function numbersOf({ data }: { readonly data: ArrayBufferView }): Float32Array | Float64Array {
  return data as Float32Array | Float64Array;
}

/** Numbers as the memory of a dtype; float16 must hold them, but for what is so large that it is infinite there. */
export function memoryOf(
  numbers: Float32Array | Float64Array,
  dtype: TensorMeta["dtype"],
): Float32Array | Float64Array | Uint16Array {
  if (dtype !== "float16") return numbers;
  const bits = new Uint32Array(Float32Array.from(numbers).buffer);
  return Uint16Array.from(bits, (x) => {
    const sign = (x >>> 16) & 0x8000;
    const exponent = ((x >>> 23) & 0xff) - 112;
    const mantissa = x & 0x7fffff;
    if (exponent > 30) return sign | 0x7c00;
    return exponent > 0
      ? sign | (exponent << 10) | (mantissa >> 13)
      : sign | ((mantissa | 0x800000) >> (14 - exponent));
  });
}
