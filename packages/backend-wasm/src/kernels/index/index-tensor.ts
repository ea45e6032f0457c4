import { numel } from "@pt2/backend";
import { broadcastStrides } from "@pt2/engine";
import { isMask, type TensorMeta } from "@pt2/registry";
import { adder } from "../../engine/element-access.ts";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { canCombine, eachElement, planIndexRows } from "./index-rows.ts";
import { planSlices } from "./select-rows.ts";
import { type IndexOfDim, planTuples } from "./tuples.ts";

/** `index(self, indices)` without masks; a mask makes the op dynamic. */
export const indexTensor: WasmKernel = wasmKernel({
  ops: ["aten::index.Tensor"],
  unsigned: true,
  accepts: hasNoMask,
  prepare(call, { self, indices }) {
    planSlices(call, call.tensor(self), indicesOf(call, indices), true);
  },
});

/** `index_put(self, indices, values, accumulate)` without masks; of several writes to one element the last one wins. */
export const indexPut: WasmKernel = wasmKernel({
  ops: ["aten::index_put"],
  updates: true,
  accepts: hasNoMask,
  prepare(call, args) {
    const out = call.output();
    call.copy(call.tensor(args.self), out);
    const { rows, chosen } = planTuples(call, out, indicesOf(call, args.indices), true);
    if (numel(rows.shape) === 0) return;
    const values = call.tensor(args.values);
    const from = { view: values, strides: broadcastStrides(values, rows.shape), row: 0 };
    if (!args.accumulate || canCombine(out)) planIndexRows(call, args.accumulate ? "sum" : "set", rows, from, chosen);
    else call.step(() => eachElement(call, rows, from, chosen, adder(call.heap, values, out)));
  },
});

/** The indices of a call; null for a dimension that is kept. */
type Indices = readonly (TensorMeta | null)[];

function hasNoMask({ indices }: { readonly indices: Indices }): boolean {
  return !indices.some(isMask);
}

function indicesOf(call: KernelCall, given: Indices): readonly IndexOfDim[] {
  return given.flatMap((index, dim) => (index === null ? [] : [{ dim, view: call.tensor(index) }]));
}
