import { elementCount } from "@pt2/format";
import { castTo } from "@pt2/registry/scalar";
import type { WebgpuKernel } from "../../engine/kernel.ts";
import { broadcast } from "../../shader/geometry.ts";
import { accumulatorOf, planAccumulation } from "./accumulate.ts";
import { hasNoMask, indexedBy } from "./indexed.ts";
import { planLastWrites, type Writes } from "./write-last.ts";

/** `index_put(self, indices, values, accumulate)` without masks; of several writes to one element the last one wins. */
export const indexPut: WebgpuKernel = {
  ops: ["aten::index_put"],
  accepts: hasNoMask,
  prepare(call) {
    const self = call.tensor("self");
    const out = call.output();
    const indexed = indexedBy(call, out);
    const values = broadcast(call.tensor("values"), indexed.shape);
    const count = elementCount(indexed.shape);
    const writes: Writes = { count, declare: (shader) => indexed.declare(shader, "index_put") };
    if (!call.arg<boolean>("accumulate")) {
      call.copy(self, out);
      planLastWrites(call, out, values, writes);
      return;
    }
    const sums = call.temporary(accumulatorOf(out.dtype), out.shape);
    call.elementwise(sums, [self], castTo(sums.dtype, { kind: "input", dtype: self.dtype, index: 0 }));
    planAccumulation(call, sums, values, "add", writes);
    call.elementwise(out, [sums], castTo(out.dtype, { kind: "input", dtype: sums.dtype, index: 0 }));
  },
};
