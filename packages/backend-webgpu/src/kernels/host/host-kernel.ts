import { type HostKernel, runHostKernel, tensorsRead } from "@pt2/engine/host";
import type { LoweredTensor } from "@pt2/registry";
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
      const tensors = tensorsRead(kernel, args);
      const writes = results.map((_, i) => call.output(i));
      const { random } = call;
      call.host({
        name: call.call.record.name,
        reads: tensors.map((argument) => call.tensor(argument)),
        writes,
        run: (inputs) =>
          runHostKernel(kernel, {
            args,
            tensor: (argument) => inputs[tensors.indexOf(argument as LoweredTensor)]!,
            results: writes,
            random,
          }),
      });
    },
  };
}
