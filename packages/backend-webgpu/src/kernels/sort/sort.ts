import { normalDim } from "@pt2/backend/strides";
import type { KernelCall, WebgpuKernel } from "../../engine/kernel.ts";
import type { Place } from "../../engine/place.ts";
import { type ReducedLayout, readLanes, reducedLayout } from "../reduce/lanes.ts";
import { planBitonic, type Sorted } from "./bitonic.ts";
import { orderOf } from "./order.ts";

/** `sort(self, stable, dim, descending)`: always stable; NaN counts as the largest. */
const sort: WebgpuKernel = {
  ops: ["aten::sort.stable"],
  prepare: (call) => planSort(call, call.arg<boolean>("descending")),
};

/** `topk(self, k, dim, largest, sorted)`; of equal elements the first comes first, which PyTorch leaves open. */
const topk: WebgpuKernel = {
  ops: ["aten::topk"],
  prepare: (call) => planSort(call, call.arg<boolean>("largest")),
};

/** Orders. */
export const SORTS: readonly WebgpuKernel[] = [sort, topk];

/** Up to so many elements each one counts those that come before it; for more that takes too long. */
const COUNTED = 1024;

function planSort(call: KernelCall, descending: boolean): void {
  const self = call.tensor("self");
  const [values, indices] = [call.output(0), call.output(1)];
  const dim = normalDim(call.arg<number>("dim"), self.shape.length);
  const layout = reducedLayout(self, dim);
  const target = reducedLayout(values, dim);
  if (layout.outer * target.n === 0) return;
  const order = orderOf(self, descending);
  if (layout.n > COUNTED) planBitonic(call, self, layout, order, { values, indices, target });
  else planCounting(call, self, layout, order, { values, indices, target });
}

function planCounting(call: KernelCall, self: Place, layout: ReducedLayout, order: string, to: Sorted): void {
  const shader = readLanes(call.shader("sort"), self, layout).u32("n", layout.n).u32("kept", to.target.n);
  shader.write("values", to.values).write("indices", to.indices);
  shader.offsets("to_outer", to.target.kept).offsets("to_inner", to.target.reduced);
  shader.forEach(
    layout.outer * layout.n,
    `let lane = i / p.n;
  let at = i % p.n;
  let base = outer(lane);
  let x = x_at(base + inner(at));
  let own = key(x);
  var rank = 0u;
  for (var k = 0u; k < p.n; k++) { rank += u32(before(key(x_at(base + inner(k))), k, own, at)); }
  if (rank < p.kept) {
    let to = to_outer(lane) + to_inner(rank);
    set_values(to, x);
    set_indices(to, i32(at));
  }`,
    { declarations: order },
  );
}
