import { numel } from "@pt2/backend";
import { contiguousStrides, normalDim } from "@pt2/format";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { planIndexRows } from "./index-rows.ts";
import { type IndexOfDim, planTuples } from "./tuples.ts";

/** `index_select(self, dim, index)`: whole slices. */
export const indexSelect: WasmKernel = wasmKernel({
  ops: ["aten::index_select"],
  prepare(call, args) {
    const self = call.tensor(args.self);
    planSlices(call, self, [{ dim: normalDim(args.dim, self.shape.length), view: call.tensor(args.index) }]);
  },
});

/** `embedding(weight, indices)`: the rows of a table. */
export const embedding: WasmKernel = wasmKernel({
  ops: ["aten::embedding"],
  unsigned: true,
  prepare(call, { weight, indices }) {
    planSlices(call, call.tensor(weight), [{ dim: 0, view: call.tensor(indices) }]);
  },
});

/** Copies what index tensors choose, one slice after the other. */
export function planSlices(call: KernelCall, self: TensorView, indices: readonly IndexOfDim[], wraps = false): void {
  const out = call.output();
  const { rows, chosen } = planTuples(call, self, indices, wraps);
  // A number for an index leaves its dimension out, or as one of size 1: the shape may be another one than that of the result.
  const to = { view: out, strides: contiguousStrides(rows.shape), row: 0 };
  if (numel(out.shape) > 0) planIndexRows(call, "set", rows, chosen, to);
}
