import { normalDim } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { type KernelCall, type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { type ReducedLayout, readLanes, reducedLayout } from "../reduce/reduced-layout.ts";
import { planBitonic, type Sorted } from "./bitonic.ts";
import { orderOf } from "./order.ts";
import { planTies, type Ties, tiesOfSort, tiesOfTopk } from "./ties.ts";

/** `sort(self, stable, dim, descending)`: NaN counts as the largest. */
const sort: WebgpuKernel = webgpuKernel({
  ops: ["aten::sort.stable"],
  unsigned: true,
  prepare: (call, args) =>
    planSort(call, args, { descending: args.descending, ties: (...lanes) => tiesOfSort(args, ...lanes) }),
});

/** `topk(self, k, dim, largest, sorted)`; the results are in order without `sorted` too. */
const topk: WebgpuKernel = webgpuKernel({
  ops: ["aten::topk"],
  prepare: (call, args) =>
    planSort(call, args, { descending: args.largest, ties: (_, layout) => tiesOfTopk(args, layout) }),
});

/** Kernels of ops that put elements into order. */
export const SORTS: readonly WebgpuKernel[] = [sort, topk];

/** Up to so many elements each one counts those that come before it; for more that takes too long. */
const COUNTED = 1024;

interface Order {
  readonly descending: boolean;
  /** How PyTorch's CPU puts equal elements of lanes into order; null where it keeps them as they are. */
  readonly ties: (self: TensorView, layout: ReducedLayout) => Ties | null;
}

interface SortArgs {
  readonly self: TensorMeta;
  readonly dim: number;
}

function planSort(call: KernelCall, args: SortArgs, { descending, ties }: Order): void {
  const self = call.tensor(args.self);
  const [values, indices] = [call.output(0), call.output(1)];
  const dim = normalDim(args.dim, self.shape.length);
  const layout = reducedLayout(self, dim);
  const target = reducedLayout(values, dim);
  if (layout.outer * target.n === 0) return;
  const order = orderOf(self, descending);
  const to = { values, indices, target };
  const plan = layout.n > COUNTED ? planBitonic : planCounting;
  const positions = plan(call, self, layout, order, to);
  const rule = ties(self, layout);
  if (rule !== null) planTies(call, self, layout, { rule, descending, positions, to });
}

/** Returns the positions of all elements in their order, a row for each lane. */
function planCounting(
  call: KernelCall,
  self: TensorView,
  layout: ReducedLayout,
  order: string,
  to: Sorted,
): TensorView {
  const positions = call.temporary("int32", [layout.outer, layout.n]);
  const shader = readLanes(call.shader("sort"), self, layout).u32("n", layout.n).u32("kept", to.target.n);
  shader.write("values", to.values).write("indices", to.indices).write("positions", positions);
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
  set_positions(lane * p.n + rank, i32(at));
  if (rank < p.kept) {
    let to = to_outer(lane) + to_inner(rank);
    set_values(to, x);
    set_indices(to, i32(at));
  }`,
    { declarations: order },
  );
  return positions;
}
