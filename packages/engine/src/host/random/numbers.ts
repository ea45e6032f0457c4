import type { DType } from "@pt2/format";
import { createGenerator } from "./generator.ts";

/** Random numbers for one executable. They are not PyTorch's. */
export interface RandomNumbers {
  /** Returns numbers of `rand`, uniform in [0, 1), with as many bits as the dtype has, so that rounding cannot give 1. */
  uniform(dtype: DType, count: number): Float64Array;
  /** Returns numbers of `randn`, from the normal distribution. */
  normal(count: number): Float64Array;
  /** One number in [0, 1), with 53 random bits. */
  next(): number;
}

/**
 * Every executable has a source of its own that starts from the same seed, so that loading a program again repeats its
 * numbers, on any backend, while runs of one executable go on with the sequence.
 */
const SEED = 0x5eed;

const BITS: Readonly<Partial<Record<DType, number>>> = { float64: 53, float32: 24, float16: 11, bfloat16: 8 };

/** A source of random numbers. */
export function createRandom(): RandomNumbers {
  const generator = createGenerator(SEED);
  return {
    next: () => generator.uniform(),
    uniform(dtype, count) {
      const scale = 2 ** (BITS[dtype] ?? 24);
      return Float64Array.from({ length: count }, () => Math.floor(generator.uniform() * scale) / scale);
    },
    // This is the Box–Muller transform.
    normal(count) {
      const values = new Float64Array(count);
      for (let i = 0; i < count; i += 2) {
        const radius = Math.sqrt(-2 * Math.log(1 - generator.uniform()));
        const angle = 2 * Math.PI * generator.uniform();
        values[i] = radius * Math.cos(angle);
        if (i + 1 < count) values[i + 1] = radius * Math.sin(angle);
      }
      return values;
    },
  };
}
