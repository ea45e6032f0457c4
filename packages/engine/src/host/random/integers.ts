import type { CpuGenerator } from "@pt2/backend";

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
