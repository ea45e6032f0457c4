import { bitsToFloat, type DType, floatToBits, isSmallFloat } from "@pt2/format";
import type { CpuGenerator } from "./cpu-generator.ts";

/**
 * Draws what PyTorch's `uniform_(from, to)` draws for `count` elements of a floating-point dtype. A number that rounds
 * to `to` becomes `from`.
 */
export function drawUniform(generator: CpuGenerator, dtype: DType, count: number, from = 0, to = 1): Float64Array {
  const numbers = new Float64Array(count);
  const round = roundingOf(dtype);
  const [least, limit] = [round(from), round(to)];
  const width = round(limit - least);
  const isDouble = dtype === "float64";
  for (let i = 0; i < count; i++) {
    const drawn = isDouble ? generator.uniform() : (generator.random() & 0xffffff) / 2 ** 24;
    const number = round(drawn * width + least);
    numbers[i] = number === limit ? least : number;
  }
  return numbers;
}

/** The number of elements that PyTorch transforms at once. */
const BLOCK = 16;

/**
 * Draws what PyTorch's `normal_(mean, std)` draws for `count` elements of a floating-point dtype, which the caller
 * rounds. Few elements are made one by one; many in blocks of 16 uniform numbers, of which the first eight give the
 * radius and the others the angle. The last block is drawn again in whole if it is not full.
 */
export function drawNormal(generator: CpuGenerator, dtype: DType, count: number, mean = 0, std = 1): Float64Array {
  if (count < BLOCK) return Float64Array.from({ length: count }, () => generator.normal() * std + mean);
  const rest = count % BLOCK;
  const isDouble = dtype === "float64";
  const computed = isDouble ? "float64" : "float32";
  // float16 and bfloat16 are computed in float32. Of them the elements of the last block are drawn once, not twice.
  const numbers = new Float64Array(count);
  numbers.set(drawUniform(generator, computed, isSmallFloat(dtype) ? count - rest : count));
  const transform = (begin: number): void => {
    for (let i = begin; i < begin + BLOCK / 2; i++) {
      const logarithm = Math.sqrt(-2 * Math.log(1 - numbers[i]!));
      const radius = isDouble ? logarithm : Math.fround(logarithm);
      const angle = 2 * Math.PI * numbers[i + BLOCK / 2]!;
      numbers[i] = radius * Math.cos(angle) * std + mean;
      numbers[i + BLOCK / 2] = radius * Math.sin(angle) * std + mean;
    }
  };
  for (let begin = 0; begin + BLOCK <= count; begin += BLOCK) transform(begin);
  if (rest > 0) {
    numbers.set(drawUniform(generator, computed, BLOCK), count - BLOCK);
    transform(count - BLOCK);
  }
  return numbers;
}

function roundingOf(dtype: DType): (x: number) => number {
  if (isSmallFloat(dtype)) return (x) => bitsToFloat(dtype, floatToBits(dtype, x));
  return dtype === "float64" ? (x) => x : Math.fround;
}
