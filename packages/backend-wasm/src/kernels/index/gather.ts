import { numel } from "@pt2/backend";
import { offsetsOf } from "@pt2/engine";
import { normalDim } from "@pt2/format";
import { pick } from "../../engine/element-access.ts";
import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { readIndices } from "../../engine/read-indices.ts";

/** `gather(self, dim, index)`: out[i][j][k] = self[index[i][j][k]][j][k] along dimension 0, and so on. */
export const gather: WasmKernel = wasmKernel({
  ops: ["aten::gather"],
  prepare(call, args) {
    const self = call.tensor(args.self);
    const index = call.dense(call.tensor(args.index));
    const out = call.output();
    const dim = normalDim(args.dim, self.shape.length);
    const stride = self.strides[dim] ?? 1;
    const size = self.shape[dim] ?? 1;
    // Where each element of the index lies in `self`, its own dimension left out.
    const bases = offsetsOf({ shape: index.shape, strides: self.strides.map((s, d) => (d === dim ? 0 : s)) });
    const sources = new Int32Array(numel(index.shape));
    call.step(() => {
      readIndices(call, index, sources, { dim, size });
      for (let i = 0; i < sources.length; i++) sources[i] = bases[i]! + sources[i]! * stride;
      pick(call.heap, self, out, sources);
    });
  },
});
