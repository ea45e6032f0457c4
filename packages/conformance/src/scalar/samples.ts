import { DTYPES, type DType } from "@pt2/format";
import { convert, type ScalarValue } from "@pt2/registry/scalar";

/** The limits of a device's arithmetic. */
export interface DeviceNumbers {
  /**
   * Whether everything is computed in 32 bits, float64 and int64 too, and denormals may be flushed to zero, as on GPUs.
   */
  readonly narrow?: boolean;
}

const FLOATS: readonly number[] = [
  [0, -0, 1, -1, 0.5, -0.5, 2, -3, 1.5, 2.5, -2.5, 0.1, 1e-3, -1e-6, 1e-20, 1e-40, 88, 88.72, 89, -87, -87.5, -104],
  [100.5, 1e4, -9000, 1e5, 1e10, -1e30, 3e38, 65503, 65519, 65520, 70000, 3e9, -3e9, 6e-5, 1e-7, 3e-8, 2.9e-8],
  [Infinity, -Infinity, NaN],
].flat();

/** Returns values of a dtype for tests of generated code: special values first, then random ones. */
export function samples(
  dtype: DType,
  count: number,
  random: () => number,
  { narrow = false }: DeviceNumbers = {},
): readonly ScalarValue[] {
  const { kind } = DTYPES[dtype];
  if (kind === "bool") return Array.from({ length: count }, () => random() < 0.5);
  if (kind === "float") return floats(dtype, count, random, narrow);
  const bits = Math.min(DTYPES[dtype].itemsize, narrow ? 4 : 8) * 8;
  const least = kind === "uint" ? 0n : -(1n << BigInt(bits - 1));
  const most = least + (1n << BigInt(bits)) - 1n;
  const edges = [0n, 1n, -1n, 2n, 3n, -7n, 7n, most, least, least + 7n, 31n, 8n, 100n];
  return Array.from({ length: count }, (_, i) => {
    // A JavaScript number has 53 bits of precision.
    const wide = least + (BigInt(Math.floor(random() * 2 ** Math.min(bits, 53))) << BigInt(Math.max(bits - 53, 0)));
    return convert(dtype, edges[i] ?? (random() < 0.5 ? BigInt(Math.floor(random() * 40 - 20)) : wide));
  });
}

function floats(dtype: DType, count: number, random: () => number, narrow: boolean): readonly ScalarValue[] {
  const special = narrow ? FLOATS.filter((value) => value === 0 || !(Math.abs(value) < 2 ** -126)) : FLOATS;
  return Array.from({ length: count }, (_, i) => {
    const value = special[i] ?? (random() - 0.5) * 10 ** (4 * random() - 1);
    return convert(dtype, narrow ? Math.fround(value) : value);
  });
}
