import type { CpuGenerator } from "@pt2/backend";
import { DTYPES, type DType } from "@pt2/format";
import { convert } from "@pt2/registry/scalar";
import { fillWords } from "./fill-words.ts";

/** From this range on PyTorch divides 64 random bits, as 32 would favor some numbers. */
const WIDE = 2n ** 28n;

/** Draws integers from `low` to `high - 1`. */
export function drawIntegers(
  random: CpuGenerator,
  count: number,
  low: number | bigint,
  high: number | bigint,
): Float64Array | Int32Array | BigInt64Array {
  const least = BigInt(low);
  const range = BigInt(high) - least;
  if (range >= WIDE) return wideRemainders(random, count, range, least);
  if (Number.isSafeInteger(Number(least))) return remainders(random, count, Number(range), Number(least));
  return BigInt64Array.from(remainders(random, count, Number(range), 0), (x) => BigInt(x) + least);
}

/** The bits of the largest integer up to which a float has all. */
const DIGITS: Readonly<Partial<Record<DType, number>>> = { float64: 53, float32: 24, float16: 11, bfloat16: 8 };

/** Draws integers from 0 to the largest of a dtype, or to the largest up to which it has all. */
export function drawAnyIntegers(
  random: CpuGenerator,
  count: number,
  dtype: DType,
): Float64Array | Int32Array | BigInt64Array | BigUint64Array {
  const { itemsize, kind } = DTYPES[dtype];
  const digits = DIGITS[dtype] ?? (kind === "bool" ? 1 : 8 * itemsize - (kind === "int" ? 1 : 0));
  const range = 2n ** BigInt(digits) + (DIGITS[dtype] === undefined ? 0n : 1n);
  if (itemsize < 8) return remainders(random, count, Number(range), 0);
  const numbers = wideRemainders(random, count, range, 0n);
  return dtype === "uint64" ? new BigUint64Array(numbers.buffer) : numbers;
}

/**
 * Returns the bounds of integers that are drawn for a dtype. One that a float rounds to a number beyond it is moved
 * inwards, as in PyTorch: `low` by a step of such numbers, `high` by two.
 */
export function boundsFor(
  dtype: DType,
  given: number | bigint,
  end: number | bigint,
): readonly [low: bigint, high: bigint] {
  const digits = DIGITS[dtype];
  const [low, high] = [BigInt(given), BigInt(end)];
  if (digits === undefined) return [low, high];
  const step = (x: bigint): bigint => 2n ** BigInt(absolute(x).toString(2).length - digits);
  const [first, last] = [rounded(dtype, low + 1n), rounded(dtype, high - 1n)];
  return [first < low ? first + step(low + 1n) : low, last >= high ? last - step(high - 1n) : high];
}

function absolute(x: bigint): bigint {
  return x < 0n ? -x : x;
}

/** Rounds an integer to a float; to small ones by way of float32, as C++ does. */
function rounded(dtype: DType, x: bigint): bigint {
  return BigInt(toFloat(dtype, x));
}

function toFloat(dtype: DType, x: bigint): number {
  if (dtype === "float64") return Number(x);
  // What has more digits than a double is rounded once: a last bit says that there are more.
  const isLong = absolute(x) >= 2n ** 53n;
  const single = Math.fround(isLong ? Number((x >> 12n) | (x & 0xfffn ? 1n : 0n)) * 2 ** 12 : Number(x));
  return Number(convert(dtype, single));
}

/** Converts integers of 64 bits to numbers of a float dtype. */
export function asFloats(dtype: DType, numbers: BigInt64Array): Float64Array {
  return Float64Array.from(numbers, (x) => toFloat(dtype, x));
}

/** Draws what 32 random bits leave when they are divided by `range`, from `least` on. */
function remainders(random: CpuGenerator, count: number, range: number, least: number): Float64Array | Int32Array {
  const isShort = least >= -(2 ** 31) && least + range <= 2 ** 31;
  const numbers = isShort ? new Int32Array(count) : new Float64Array(count);
  const words = new Uint32Array(count);
  fillWords(random, words);
  for (let i = 0; i < count; i++) numbers[i] = remainder(words[i]!, range) + least;
  return numbers;
}

/** Computes x % y of integers below 2^32, whose quotient as doubles has the right floor; that takes half of the time. */
export function remainder(x: number, y: number): number {
  return x - Math.floor(x / y) * y;
}

/** Does the same with 64 random bits, of which the higher ones are drawn first. */
function wideRemainders(random: CpuGenerator, count: number, range: bigint, least: bigint): BigInt64Array<ArrayBuffer> {
  const bits = new BigUint64Array(count);
  const [words, numbers] = [new Uint32Array(bits.buffer), new BigInt64Array(bits.buffer)];
  for (let i = 0; i < count; i++) {
    words[2 * i + 1] = random.random();
    words[2 * i] = random.random();
    // What is known to have 64 bits is computed without making a bigint.
    numbers[i] = BigInt.asUintN(64, bits[i]! % range) + least;
  }
  return numbers;
}
