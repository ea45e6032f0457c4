import { createRandom, type HostKernel, runHostKernel } from "@pt2/engine/host";
import { isTensor } from "@pt2/registry";
import { readView, writeView } from "../engine/host-copy.ts";
import type { WasmKernel } from "../engine/kernel.ts";

/** A kernel on host data: its tensors are copied out, and its results in. */
export function hostKernel(kernel: HostKernel): WasmKernel {
  return {
    ...kernel,
    prepare(call) {
      const { args, results } = call.call;
      const names = Object.keys(args).filter((name) => isTensor(args[name]));
      const inputs = new Map(names.map((name) => [name, call.tensor(name)]));
      const outputs = results.map((_, i) => call.output(i));
      const { heap } = call;
      const tensor = (name: string) => {
        const view = inputs.get(name)!;
        return { dtype: view.dtype, shape: view.shape, bytes: readView(heap, view) };
      };
      call.step(() => {
        const computed = runHostKernel(kernel, {
          args,
          tensor,
          results: outputs,
          random: () => call.state(createRandom),
        });
        for (const [i, out] of outputs.entries()) writeView(heap, out, computed[i]!.bytes);
      });
    },
  };
}
