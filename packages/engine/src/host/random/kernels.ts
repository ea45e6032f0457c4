import { backendError, numel } from "@pt2/backend";
import { DTYPES, type DType } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import type { KernelArgs, KernelOp } from "../../plan/kernel-args.ts";
import { broadcastPositions } from "../../strides/broadcast.ts";
import { type ForEach, type HostKernel, hostKernel } from "../host-kernel.ts";
import { binomial, gamma, poisson } from "./distributions.ts";
import type { RandomNumbers } from "./numbers.ts";

/** Random numbers, from one sequence for each executable. */
export const RANDOM_KERNELS: readonly HostKernel[] = [
  noise("aten::rand", (random, dtype, count) => random.uniform(dtype, count)),
  noise("aten::randn", (random, _, count) => random.normal(count)),
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
];

function requireRate(rate: number): number {
  if (rate >= 0) return rate;
  throw backendError("backend.data", {
    what: `invalid Poisson rate ${rate}, expected rate to be non-negative`,
    advice: "Check the values that the program computes this from.",
  });
}

function noise(
  op: "aten::rand" | "aten::randn",
  draw: (random: RandomNumbers, dtype: DType, count: number) => Float64Array,
): HostKernel {
  return hostKernel(
    [op],
    (call) => [draw(call.random(), call.dtype(0), numel(call.shape(0)))],
    ({ dtype }) => dtype === null || DTYPES[dtype].kind !== "complex",
  );
}

/** A number of a distribution for each element of its parameters. */
function drawn<const Op extends KernelOp, const Parameters extends readonly TensorMeta[]>(
  op: Op,
  parameters: (args: KernelArgs<Op>) => Parameters,
  draw: (random: RandomNumbers, ...values: ForEach<Parameters, number>) => number,
): HostKernel {
  return hostKernel([op], (call, args) => {
    const shape = call.shape(0);
    const random = call.random();
    const arrays = parameters(args).map((parameter) => call.array(parameter));
    const places = arrays.map((array) => broadcastPositions(array.shape, shape));
    return [
      Float64Array.from({ length: numel(shape) }, (_, i) => {
        const values = arrays.map(({ data }, k) => data[places[k]![i]!]!);
        return draw(random, ...(values as ForEach<Parameters, number>));
      }),
    ];
  });
}
