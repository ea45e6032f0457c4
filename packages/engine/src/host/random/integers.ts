import type { CpuGenerator } from "@pt2/backend";
import { DTYPES, type DType } from "@pt2/format";

/** From this range on PyTorch divides 64 random bits, as 32 would favor some numbers. */
const WIDE = 2n ** 28n;

/** Draws integers from `low` to `high - 1`. */
export function drawIntegers(
  random: CpuGenerator,
  count: number,
  low: number | bigint,
  high: number | bigint,
): ArrayLike<number | bigint> {
  const least = BigInt(low);
  const range = BigInt(high) - least;
  if (range >= WIDE) return Array.from({ length: count }, () => (random.random64() % range) + least);
  const [first, numbers] = [Number(least), Number(range)];
  return Float64Array.from({ length: count }, () => (random.random() % numbers) + first);
}

/** The bits of the largest integer up to which a float has all. */
const DIGITS: Readonly<Partial<Record<DType, number>>> = { float64: 53, float32: 24, float16: 11, bfloat16: 8 };

/** Draws integers from 0 to the largest of a dtype, or to the largest up to which it has all. */
export function drawAnyIntegers(random: CpuGenerator, count: number, dtype: DType): ArrayLike<number | bigint> {
  const { itemsize, kind } = DTYPES[dtype];
  const digits = DIGITS[dtype] ?? (kind === "bool" ? 1 : 8 * itemsize - (kind === "int" ? 1 : 0));
  const range = 2n ** BigInt(digits) + (DIGITS[dtype] === undefined ? 0n : 1n);
  if (itemsize === 8) return Array.from({ length: count }, () => random.random64() % range);
  return Float64Array.from({ length: count }, () => random.random() % Number(range));
}
