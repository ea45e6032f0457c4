import { numel } from "@pt2/format";
import { type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import { broadcast } from "../../shader/geometry.ts";
import { accumulatorOf, planAccumulation } from "./accumulate.ts";
import { hasNoMask, indexedBy } from "./indexed.ts";
import { planLastWrites, type Writes } from "./write-last.ts";

/** `index_put(self, indices, values, accumulate)` without masks; of several writes to one element the last one wins. */
export const indexPut: WebgpuKernel = webgpuKernel({
  ops: ["aten::index_put"],
  // Sums of floating point numbers depend on the order in which invocations add.
  updates: ({ accumulate }) => !accumulate,
  complex: true,
  accepts: hasNoMask,
  prepare(call, args) {
    const self = call.tensor(args.self);
    const out = call.output();
    const indexed = indexedBy(call, "index_put", out, args.indices);
    const values = broadcast(call.tensor(args.values), indexed.shape);
    const count = numel(indexed.shape);
    const writes: Writes = { count, areApart: indexed.isOne, declare: (shader) => indexed.declare(shader) };
    if (!args.accumulate) {
      call.copy(self, out);
      planLastWrites(call, out, values, writes);
      return;
    }
    const sums = call.temporary(accumulatorOf(out.dtype), out.shape);
    call.copy(self, sums);
    planAccumulation(call, sums, values, "add", writes);
    call.copy(sums, out);
  },
});
