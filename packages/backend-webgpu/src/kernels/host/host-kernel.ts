import { createRandom, type HostKernel, type RandomNumbers, runHostKernel } from "@pt2/engine/host";
import { type ArgValue, isTensor } from "@pt2/registry";
import type { WebgpuKernel } from "../../engine/kernel.ts";

/** A kernel for an op that is computed on the host: its tensors are read back, and its results uploaded. */
export function hostKernel(kernel: HostKernel): WebgpuKernel {
  const { ops, accepts } = kernel;
  return {
    ops,
    complex: true,
    ...(accepts === undefined ? {} : { accepts }),
    prepare(call) {
      const { args, results } = call.call;
      const names = Object.entries(args).flatMap(([name, value]: [string, ArgValue]) =>
        isTensor(value) ? [name] : [],
      );
      const writes = results.map((_, i) => call.output(i));
      const random = (): RandomNumbers => call.state(createRandom);
      call.host({
        name: call.call.record.name,
        reads: names.map((name) => call.tensor(name)),
        writes,
        run: (inputs) =>
          runHostKernel(kernel, { args, tensor: (name) => inputs[names.indexOf(name)]!, results: writes, random }),
      });
    },
  };
}
