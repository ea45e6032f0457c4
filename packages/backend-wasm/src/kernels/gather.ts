import { normalDim, offsetsOf, requireIndex } from "@pt2/backend/strides";
import { mover, numbers } from "../engine/access.ts";
import type { WasmKernel } from "../engine/kernel.ts";

/** `gather(self, dim, index)`: out[i][j][k] = self[index[i][j][k]][j][k] along dimension 0, and so on. */
export const gather: WasmKernel = {
  ops: ["aten::gather"],
  prepare(call) {
    const self = call.tensor("self");
    const index = call.tensor("index");
    const out = call.output();
    const dim = normalDim(call.arg<number>("dim"), self.shape.length);
    const stride = self.strides[dim] ?? 1;
    const size = self.shape[dim] ?? 1;
    // Where each element of the index lies in `self`, its own dimension left out.
    const bases = offsetsOf({ shape: index.shape, strides: self.strides.map((s, d) => (d === dim ? 0 : s)) });
    const indices = offsetsOf(index);
    call.step(() => {
      const at = numbers(call.heap, index);
      const move = mover(call.heap, self, out);
      for (let i = 0; i < indices.length; i++) {
        const row = requireIndex(at.get(indices[i]!), dim, size, call.call);
        move(bases[i]! + row * stride, i);
      }
    });
  },
};
