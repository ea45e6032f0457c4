import { type HostKernel, runHostKernel, tensorsRead } from "@pt2/engine/host";
import type { TensorMeta } from "@pt2/registry";
import { readView, writeView } from "../engine/host-copy.ts";
import type { WasmKernel } from "../engine/kernel.ts";
import type { TensorView } from "../engine/tensor-view.ts";

/** A kernel on host data: its tensors are copied out, and its results in. */
export function hostKernel(kernel: HostKernel): WasmKernel {
  return {
    ...kernel,
    prepare(call) {
      const { args, results } = call.call;
      const inputs = new Map<TensorMeta, TensorView>();
      for (const argument of tensorsRead(kernel, args)) inputs.set(argument, call.tensor(argument));
      const outputs = results.map((_, i) => call.output(i));
      const { heap } = call;
      const tensor = (argument: TensorMeta) => {
        const view = inputs.get(argument)!;
        return { dtype: view.dtype, shape: view.shape, bytes: readView(heap, view) };
      };
      call.step(() => {
        const computed = runHostKernel(kernel, {
          args,
          tensor,
          results: outputs,
          random: call.random,
        });
        for (const [i, out] of outputs.entries()) writeView(heap, out, computed[i]!.bytes);
      });
    },
  };
}
