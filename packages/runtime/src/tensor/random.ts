import type { HostTensor } from "@pt2/backend";
import { numel, requireType } from "@pt2/backend";
import type { DType } from "@pt2/format";
import { runtimeError } from "../runtime-errors.ts";
import { type FactoryOptions, filled } from "./factories.ts";
import { MersenneTwister } from "./mersenne-twister.ts";

/** The options of functions that make random tensors. */
export interface RandomOptions<D extends DType = DType> extends FactoryOptions<D> {
  /** An integer from 0 to 2^32 - 1. The numbers are those of PyTorch on the CPU after `torch.manual_seed(seed)`. */
  readonly seed: number;
}

/** Makes a tensor of uniform numbers in [0, 1): those of `torch.rand`, for float32. */
export function rand<D extends DType = "float32">(shape: readonly number[], options: RandomOptions<D>): HostTensor<D> {
  const generator = generatorOf(options);
  return filled(shape, options, () => uniform(generator));
}

/** Makes a tensor of normal numbers: those of `torch.randn` for float32, which rounds a few in the last place. */
export function randn<D extends DType = "float32">(shape: readonly number[], options: RandomOptions<D>): HostTensor<D> {
  const generator = generatorOf(options);
  requireType(options.dtype ?? "float32", shape);
  const numbers = numel(shape) < BLOCK ? pairs(generator, numel(shape)) : blocks(generator, numel(shape));
  return filled(shape, options, (i) => numbers[i]!);
}

function generatorOf(options: RandomOptions | undefined): MersenneTwister {
  const seed = options?.seed;
  if (Number.isInteger(seed) && seed! >= 0 && seed! < 2 ** 32) return new MersenneTwister(seed!);
  throw runtimeError("runtime.tensor", {
    what: `${seed} is not a seed`,
    advice: "pass { seed: 0 } or another integer below 2^32: the same seed gives the same numbers",
  });
}

/** A float32 in [0, 1). */
function uniform(generator: MersenneTwister): number {
  return (generator.next() & 0xffffff) / 2 ** 24;
}

/** A float64 in [0, 1). */
function uniformDouble(generator: MersenneTwister): number {
  const high = generator.next() & 0x1fffff;
  return (high * 2 ** 32 + generator.next()) / 2 ** 53;
}

/** Few numbers: the transform of Box and Muller in double precision, in turns. */
function pairs(generator: MersenneTwister, count: number): Float64Array {
  const numbers = new Float64Array(count);
  for (let i = 0; i < count; i += 2) {
    const angle = 2 * Math.PI * uniformDouble(generator);
    const radius = Math.sqrt(-2 * Math.log1p(-uniformDouble(generator)));
    numbers[i] = radius * Math.cos(angle);
    if (i + 1 < count) numbers[i + 1] = radius * Math.sin(angle);
  }
  return numbers;
}

/** The number of elements that PyTorch transforms at once. */
const BLOCK = 16;

/** Many numbers: blocks of 16 uniform numbers, of which the first eight give the radius, the others the angle. */
function blocks(generator: MersenneTwister, count: number): Float32Array {
  const numbers = Float32Array.from({ length: count }, () => uniform(generator));
  const transform = (begin: number): void => {
    for (let i = begin; i < begin + BLOCK / 2; i++) {
      const radius = Math.fround(Math.sqrt(-2 * Math.log(1 - numbers[i]!)));
      const angle = 2 * Math.PI * numbers[i + BLOCK / 2]!;
      numbers[i] = radius * Math.cos(angle);
      numbers[i + BLOCK / 2] = radius * Math.sin(angle);
    }
  };
  for (let begin = 0; begin + BLOCK <= count; begin += BLOCK) transform(begin);
  if (count % BLOCK !== 0) {
    // The last block is drawn again in whole.
    for (let i = count - BLOCK; i < count; i++) numbers[i] = uniform(generator);
    transform(count - BLOCK);
  }
  return numbers;
}
