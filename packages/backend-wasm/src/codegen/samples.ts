// Values for the tests of generated kernels, the same in every run.
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

const FLOATS = [
  0,
  -0,
  1,
  -1,
  0.5,
  -0.5,
  2,
  -3,
  1.5,
  2.5,
  -2.5,
  0.1,
  1e-3,
  -1e-6,
  1e-20,
  1e-40,
  88,
  88.72,
  89,
  -87.5,
  -104,
  100.5,
  1e4,
  -9000,
  1e10,
  -1e30,
  3e38,
  65519,
  65520,
  70000,
  3e9,
  -3e9,
  Infinity,
  -Infinity,
  NaN,
];

/** Special values of a dtype, then random ones. */
export function samples(dtype: DType, count: number, random: () => number): readonly ScalarValue[] {
  const { kind, itemsize } = DTYPES[dtype];
  if (kind === "bool") return Array.from({ length: count }, () => random() < 0.5);
  if (kind === "float") {
    return Array.from({ length: count }, (_, i) =>
      convert(dtype, FLOATS[i] ?? (random() - 0.5) * 10 ** (4 * random() - 1)),
    );
  }
  const bits = itemsize * 8;
  const edges = [0n, 1n, -1n, 2n, 3n, -7n, 7n, (1n << BigInt(bits - 1)) - 1n, -(1n << BigInt(bits - 1)), 31n, 8n];
  return Array.from({ length: count }, (_, i) => {
    const wide = BigInt(Math.floor((random() - 0.5) * 2 ** 53)) * 2048n;
    return convert(dtype, edges[i] ?? (random() < 0.5 ? BigInt(Math.floor(random() * 40 - 20)) : wide));
  });
}
