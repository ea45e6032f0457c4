import { bitsToFloat, type DType, floatToBits, isSmallFloat } from "@pt2/format";
import { BLOCK, transformBlock } from "./box-muller.ts";
import type { CpuGenerator } from "./cpu-generator.ts";

/**
 * Draws what PyTorch's `uniform_(from, to)` draws for `count` elements of a floating-point dtype. A number that rounds
 * to `to` becomes `from`.
 */
export function drawUniform(
  generator: CpuGenerator,
  dtype: DType,
  count: number,
  from = 0,
  to = 1,
): Float32Array | Float64Array {
  const numbers = arrayFor(dtype, count);
  fillUnit(generator, dtype, numbers);
  const [least, limit] = [rounded(dtype, from), rounded(dtype, to)];
  const width = rounded(dtype, limit - least);
  const small = isSmallFloat(dtype);
  // What is drawn has the digits of float32 or float64, and is below 1.
  if (!small && least === 0 && width === 1) return numbers;
  for (let i = 0; i < count; i++) {
    const scaled = numbers[i]! * width + least;
    numbers[i] = small ? rounded(dtype, scaled) : scaled;
    if (numbers[i] === limit) numbers[i] = least;
  }
  return numbers;
}

/**
 * Draws what PyTorch's `normal_(mean, std)` draws for `count` elements of a floating-point dtype, which the caller
 * rounds. Few elements are made one by one; many in blocks of 16 uniform numbers, of which the first eight give the
 * radius and the others the angle. The last block is drawn again in whole if it is not full.
 */
export function drawNormal(
  generator: CpuGenerator,
  dtype: DType,
  count: number,
  mean = 0,
  std = 1,
): Float32Array | Float64Array {
  // float16 and bfloat16 are computed in float32, but where there are few.
  const numbers = dtype === "float64" || count < BLOCK ? arrayFor(dtype, count) : new Float32Array(count);
  if (count < BLOCK) return numbers.map(() => generator.normal() * std + mean);
  const [center, spread] = [rounded("float32", mean), rounded("float32", std)];
  const transform = (begin: number): void => {
    if (numbers instanceof Float32Array) transformBlock(numbers, begin, center, spread);
    else transformDoubles(numbers, begin, mean, std);
  };
  const rest = count % BLOCK;
  // Of float16 and bfloat16 the elements of the last block are drawn once, not twice.
  fillUnit(generator, dtype, numbers.subarray(0, isSmallFloat(dtype) ? count - rest : count));
  for (let begin = 0; begin + BLOCK <= count; begin += BLOCK) transform(begin);
  if (rest > 0) {
    fillUnit(generator, dtype, numbers.subarray(count - BLOCK));
    transform(count - BLOCK);
  }
  return numbers;
}

function transformDoubles(numbers: Float64Array, begin: number, mean: number, std: number): void {
  for (let i = begin; i < begin + BLOCK / 2; i++) {
    const radius = Math.sqrt(-2 * Math.log(1 - numbers[i]!));
    const angle = 2 * Math.PI * numbers[i + BLOCK / 2]!;
    numbers[i] = radius * Math.cos(angle) * std + mean;
    numbers[i + BLOCK / 2] = radius * Math.sin(angle) * std + mean;
  }
}

/** Fills an array with numbers in [0, 1), which have 53 random bits for float64 and 24 for other dtypes. */
function fillUnit(generator: CpuGenerator, dtype: DType, numbers: Float32Array | Float64Array): void {
  const { length } = numbers;
  if (dtype === "float64") for (let i = 0; i < length; i++) numbers[i] = generator.uniform();
  else for (let i = 0; i < length; i++) numbers[i] = (generator.random() & 0xffffff) / 2 ** 24;
}

/** Makes an array of a dtype's numbers, which rounds what is put in. Those of small dtypes are rounded only once, later. */
function arrayFor(dtype: DType, count: number): Float32Array | Float64Array {
  return dtype === "float32" ? new Float32Array(count) : new Float64Array(count);
}

function rounded(dtype: DType, x: number): number {
  if (isSmallFloat(dtype)) return bitsToFloat(dtype, floatToBits(dtype, x));
  return dtype === "float64" ? x : Math.fround(x);
}
