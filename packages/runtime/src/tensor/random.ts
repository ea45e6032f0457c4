import { CpuGenerator, drawNormal, drawUniform, type HostTensor, numel, requireType, type Seed } from "@pt2/backend";
import { DTYPES, type DType } from "@pt2/format";
import { type OptionTypes, requireOptions } from "@pt2/format/options";
import { runtimeError } from "../runtime-errors.ts";
import { type FactoryOptions, filled } from "./factories.ts";

const OPTIONS: OptionTypes = { dtype: "string", seed: "number | bigint", generator: "object" };

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
  return drawn("rand()", shape, options, drawUniform);
}

/** Makes a tensor of normal numbers: those of `torch.randn`, which rounds a few of float32 in the last place. */
export function randn<D extends DType = "float32">(shape: readonly number[], options: RandomOptions<D>): HostTensor<D> {
  return drawn("randn()", shape, options, drawNormal);
}

function drawn<D extends DType>(
  of: string,
  shape: readonly number[],
  options: RandomOptions<D> | undefined,
  draw: typeof drawUniform,
): HostTensor<D> {
  const { dtype = "float32" as D, seed, generator } = options ?? ({} as Partial<RandomOptions<D>>);
  requireOptions(of, options ?? {}, OPTIONS, "backend.options");
  requireType(dtype, shape);
  if (DTYPES[dtype].kind !== "float") {
    throw runtimeError("runtime.tensor", {
      what: `there are no random numbers of ${dtype}`,
      advice: "make them as float32, or ask for another floating-point dtype",
    });
  }
  if (generator !== undefined && (seed !== undefined || !("normal" in generator))) {
    throw runtimeError("runtime.tensor", {
      what: `${of} was given ${seed === undefined ? "a generator that draws no numbers" : "both a seed and a generator"}`,
      advice: "give a seed, or a generator that goes on from call to call: new CpuGenerator(seed)",
    });
  }
  const numbers = draw(generator ?? new CpuGenerator(seed as Seed), dtype, numel(shape));
  return filled(shape, { dtype }, (i) => numbers[i]!);
}
