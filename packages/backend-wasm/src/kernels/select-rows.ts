import { numel } from "@pt2/backend";
import { requireIndex } from "@pt2/backend/strides";
import { DTYPES } from "@pt2/format";
import { numbers } from "../engine/access.ts";
import type { KernelCall, WasmKernel } from "../engine/kernel.ts";
import { addressOf, type Place } from "../engine/place.ts";

/** `index_select(self, dim, index)`: whole slices, moved as bytes. */
export const indexSelect: WasmKernel = {
  ops: ["aten::index_select"],
  prepare(call) {
    const self = call.dense(call.tensor("self"));
    const rank = self.shape.length;
    const dim = rank === 0 ? 0 : (call.arg<number>("dim") + rank) % rank;
    planSlices(call, self, call.dense(call.tensor("index")), dim);
  },
};

/** `embedding(weight, indices)`: the rows of a table. */
export const embedding: WasmKernel = {
  ops: ["aten::embedding"],
  prepare(call) {
    planSlices(call, call.dense(call.tensor("weight")), call.dense(call.tensor("indices")), 0);
  },
};

/** out[outer, i, inner] = self[outer, index[i], inner] */
function planSlices(call: KernelCall, self: Place, index: Place, dim: number): void {
  const out = call.output();
  const size = self.shape[dim] ?? 1;
  const count = numel(index.shape);
  const outer = numel(self.shape.slice(0, dim));
  const bytes = numel(self.shape.slice(dim + 1)) * DTYPES[self.dtype].itemsize;
  if (numel(out.shape) === 0 && count === 0) return;
  call.step(() => {
    const memory = call.heap.u8;
    const at = numbers(call.heap, index);
    const [from, to] = [addressOf(self), addressOf(out)];
    for (let i = 0; i < count; i++) {
      const row = requireIndex(at.get(i), dim, size, call.call);
      for (let o = 0; o < outer; o++) {
        const source = from + (o * size + row) * bytes;
        memory.copyWithin(to + (o * count + i) * bytes, source, source + bytes);
      }
    }
  });
}
