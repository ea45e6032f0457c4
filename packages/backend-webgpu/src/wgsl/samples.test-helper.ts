// Values for the tests of generated shaders, the same in every run.
import { DTYPES, type DType } from "@pt2/format";
import { convert, type ScalarValue } from "@pt2/registry/scalar";

/** A source of numbers in [0, 1). */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

// No denormals: WGSL lets a device take them for zero.
const FLOATS: readonly number[] = [
  [0, -0, 1, -1, 0.5, -0.5, 2, -3, 1.5, 2.5, -2.5, 0.1, 1e-3, -1e-6, 1e-20, 88, 88.72, 89, -87, -104, 100.5, 1e4],
  [-9000, 1e5, 1e10, -1e30, 3e38, 65503, 65519, 65520, 70000, -3e9, 3e9, 6e-5, 1e-7, 3e-8, 2.9e-8],
  [Infinity, -Infinity, NaN],
].flat();

/** The range of int64 on the GPU is that of int32. */
const bitsOf = (dtype: DType): number => Math.min(DTYPES[dtype].itemsize, 4) * 8;

/** Special values of a dtype, then random ones. */
export function samples(dtype: DType, count: number, random: () => number): readonly ScalarValue[] {
  const { kind } = DTYPES[dtype];
  if (kind === "bool") return Array.from({ length: count }, () => random() < 0.5);
  if (kind === "float") {
    return Array.from({ length: count }, (_, i) =>
      convert(dtype, Math.fround(FLOATS[i] ?? (random() - 0.5) * 10 ** (4 * random() - 1))),
    );
  }
  const bits = BigInt(bitsOf(dtype));
  const least = kind === "uint" ? 0n : -(1n << (bits - 1n));
  const edges = [0n, 1n, least, 2n, 3n, least + 7n, 7n, least + (1n << bits) - 1n, 31n, 8n, 100n];
  return Array.from({ length: count }, (_, i) => {
    const wide = least + BigInt(Math.floor(random() * Number(1n << bits)));
    return convert(dtype, edges[i] ?? (random() < 0.5 ? BigInt(Math.floor(random() * 40 - 20)) : wide));
  });
}

/** Distance in units in the last place of the expected value; infinite for what must agree exactly and does not. */
export function distance(actual: ScalarValue, expected: ScalarValue, dtype: DType): number {
  if (actual === expected || (Number.isNaN(actual) && Number.isNaN(expected))) return 0;
  if (typeof actual !== "number" || typeof expected !== "number" || DTYPES[dtype].kind !== "float")
    return Number.POSITIVE_INFINITY;
  // What is denormal may be zero.
  if (Math.abs(actual) <= 2 ** -126 && Math.abs(expected) <= 2 ** -126) return 0;
  const [bits, least] = { float16: [10, -14], bfloat16: [7, -126] }[dtype as string] ?? [23, -126];
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(expected))), least as number);
  const ulps = Math.abs(actual - expected) / 2 ** (exponent - (bits as number));
  return Number.isNaN(ulps) ? Number.POSITIVE_INFINITY : ulps;
}
