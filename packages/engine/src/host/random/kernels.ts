import { backendError, type CpuGenerator, drawNormal, drawUniform, numel } from "@pt2/backend";
import { DTYPES, type DType } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import type { KernelArgs, KernelOp } from "../../plan/kernel-args.ts";
import { mapElements } from "../host-elementwise.ts";
import { type ForEach, type HostCall, type HostKernel, hostKernel } from "../host-kernel.ts";
import { binomial, cauchy, exponential, gamma, geometric, logNormal, poisson } from "./distributions.ts";
import { asFloats, boundsFor, drawAnyIntegers, drawIntegers } from "./integers.ts";
import { sampleWithReplacement } from "./multinomial.ts";
import { permutation } from "./permutation.ts";
import { slopes } from "./slopes.ts";
import { trials } from "./trials.ts";

/** Random numbers: those of PyTorch's generator on the CPU, in its order. */
export const RANDOM_KERNELS: readonly HostKernel[] = [
  hostKernel(["aten::rand"], (call) => [fill(call, drawUniform)], isReal),
  hostKernel(["aten::randn"], (call) => [fill(call, drawNormal)], isReal),
  filled("aten::uniform", (call, { from, to }) => fill(call, drawUniform, from, to)),
  filled("aten::normal_functional", (call, { mean, std }) => fill(call, drawNormal, mean, std)),
  filled("pt2::normal", (call, { mean, std }) => each(call, (random) => random.normal() * std + mean)),
  hostKernel(["aten::randint.low"], (call, { low, high }) => {
    const dtype = call.dtype(0);
    const numbers = drawIntegers(call.random(), count(call), ...boundsFor(dtype, low, high));
    return [numbers instanceof BigInt64Array && DTYPES[dtype].kind === "float" ? asFloats(dtype, numbers) : numbers];
  }),
  filled("aten::random", (call) => drawAnyIntegers(call.random(), count(call), call.dtype(0))),
  hostKernel(["aten::randperm"], (call) => [permutation(call.random(), count(call))]),
  filled("aten::bernoulli.p", (call, { p }) => trials(call.random(), count(call), p)),
  filled("aten::exponential", (call, { lambd }) => each(call, (random) => exponential(random, lambd))),
  filled("aten::cauchy", (call, { median, sigma }) => each(call, (random) => cauchy(random, median, sigma))),
  filled("aten::log_normal", (call, { mean, std }) => each(call, (random) => logNormal(random, mean, std))),
  filled("aten::geometric", (call, { p }) => each(call, (random) => geometric(random, p))),
  drawn(
    "aten::poisson",
    ({ self }) => [self],
    (random, rate) => poisson(requireRate(rate), random),
  ),
  drawn(
    "aten::binomial",
    ({ count, prob }) => [count, prob],
    (random, count, odds) => binomial(count, odds, random),
  ),
  drawn(
    "aten::_standard_gamma",
    ({ self }) => [self],
    (random, shape) => gamma(shape, random),
  ),
  hostKernel(
    ["aten::multinomial"],
    (call, { self, num_samples }) => [sampleWithReplacement(call.random(), call.array(self), self.dtype, num_samples)],
    // Samples without replacement are computed from exponential numbers.
    ({ num_samples, replacement }) => replacement && num_samples > 1,
  ),
  {
    ...hostKernel(
      ["aten::rrelu_with_noise_functional"],
      (call, { self, lower, upper }) => slopes(call.random(), call.array(self), lower, upper),
      ({ training }) => training,
    ),
    reads: ["self"],
  },
];

function count(call: HostCall): number {
  return numel(call.shape(0));
}

function fill(call: HostCall, draw: typeof drawUniform, ...range: readonly [number?, number?]): ArrayLike<number> {
  return draw(call.random(), call.dtype(0), count(call), ...range);
}

function each(call: HostCall, draw: (random: CpuGenerator) => number): Float64Array {
  const random = call.random();
  const numbers = new Float64Array(count(call));
  for (let i = 0; i < numbers.length; i++) numbers[i] = draw(random);
  return numbers;
}

/** An op that fills a tensor, of which only the shape and the dtype matter. */
function filled<const Op extends KernelOp>(
  op: Op,
  fillWith: (call: HostCall, args: KernelArgs<Op>) => ArrayLike<number | bigint>,
): HostKernel {
  const isRealFill = ({ self }: { readonly self?: TensorMeta }): boolean => isReal({ dtype: self?.dtype ?? null });
  return {
    ...hostKernel([op], (call, args) => [fillWith(call, args)], isRealFill as (args: KernelArgs<Op>) => boolean),
    reads: [],
  };
}

function requireRate(rate: number): number {
  if (rate >= 0) return rate;
  throw backendError("backend.data", {
    what: `invalid Poisson rate ${rate}, expected rate to be non-negative`,
    advice: "Check the values that the program computes this from.",
  });
}

function isReal({ dtype }: { readonly dtype: DType | null }): boolean {
  return dtype === null || DTYPES[dtype].kind !== "complex";
}

/** A number of a distribution for each element of its parameters. */
function drawn<const Op extends KernelOp, const Parameters extends readonly TensorMeta[]>(
  op: Op,
  parameters: (args: KernelArgs<Op>) => Parameters,
  draw: (random: CpuGenerator, ...values: ForEach<Parameters, number>) => number,
): HostKernel {
  return hostKernel([op], (call, args) => {
    const random = call.random();
    return [mapElements(call, parameters(args), (...values) => draw(random, ...values))];
  });
}
