import { CpuGenerator, drawNormal, drawUniform, type HostTensor, numel, requireType, type Seed } from "@pt2/backend";
import { DTYPES, type DType } from "@pt2/format";
import { runtimeError } from "../runtime-errors.ts";
import { type FactoryOptions, filled } from "./factories.ts";

/** The options of functions that make random tensors: a seed, or a generator that goes on from call to call. */
export type RandomOptions<D extends DType = DType> = FactoryOptions<D> & (Seeded | Generated);

interface Seeded {
  /** The numbers are those of PyTorch on the CPU after `torch.manual_seed(seed)`. An integer from -2^63 to 2^64 - 1. */
  readonly seed: Seed;
  readonly generator?: never;
}

interface Generated {
  /** Where the numbers are drawn from: `new CpuGenerator(seed)`. */
  readonly generator: CpuGenerator;
  readonly seed?: never;
}

/** Makes a tensor of uniform numbers in [0, 1): those of `torch.rand`. */
export function rand<D extends DType = "float32">(shape: readonly number[], options: RandomOptions<D>): HostTensor<D> {
  return drawn(shape, options, drawUniform);
}

/** Makes a tensor of normal numbers: those of `torch.randn`, which rounds a few of float32 in the last place. */
export function randn<D extends DType = "float32">(shape: readonly number[], options: RandomOptions<D>): HostTensor<D> {
  return drawn(shape, options, drawNormal);
}

function drawn<D extends DType>(
  shape: readonly number[],
  options: RandomOptions<D>,
  draw: typeof drawUniform,
): HostTensor<D> {
  const dtype = options?.dtype ?? "float32";
  requireType(dtype, shape);
  if (DTYPES[dtype].kind !== "float") {
    throw runtimeError("runtime.tensor", {
      what: `there are no random numbers of ${dtype}`,
      advice: "make them as float32, or ask for another floating-point dtype",
    });
  }
  const generator = options?.generator ?? new CpuGenerator(options?.seed as Seed);
  const numbers = draw(generator, dtype, numel(shape));
  return filled(shape, options, (i) => numbers[i]!);
}
