import { numel } from "@pt2/backend";
import { normalDim } from "@pt2/format";
import { pick } from "../../engine/element-access.ts";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { readIndices } from "../../engine/read-indices.ts";
import type { TensorView } from "../../engine/tensor-view.ts";

/** `index_select(self, dim, index)`: whole slices. */
export const indexSelect: WasmKernel = wasmKernel({
  ops: ["aten::index_select"],
  prepare(call, args) {
    const self = call.dense(call.tensor(args.self));
    const rank = self.shape.length;
    const dim = normalDim(args.dim, rank);
    planSlices(call, self, call.dense(call.tensor(args.index)), dim);
  },
});

/** `embedding(weight, indices)`: the rows of a table. */
export const embedding: WasmKernel = wasmKernel({
  ops: ["aten::embedding"],
  prepare(call, { weight, indices }) {
    planSlices(call, call.dense(call.tensor(weight)), call.dense(call.tensor(indices)), 0);
  },
});

/** out[outer, i, inner] = self[outer, index[i], inner] */
function planSlices(call: KernelCall, self: TensorView, index: TensorView, dim: number): void {
  const out = call.output();
  const size = self.shape[dim] ?? 1;
  const count = numel(index.shape);
  const outer = numel(self.shape.slice(0, dim));
  const inner = numel(self.shape.slice(dim + 1));
  if (numel(out.shape) === 0 && count === 0) return;
  const sources = new Int32Array(count);
  call.step(() => {
    readIndices(call, index, sources, { dim, size });
    for (let i = 0; i < count; i++) sources[i]! *= inner;
    for (let o = 0; o < outer; o++) {
      const part = { ...self, offset: self.offset + o * size * inner };
      pick(call.heap, part, out, sources, inner, o * count * inner);
    }
  });
}
