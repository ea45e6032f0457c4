import type { KernelCall } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { type ReducedLayout, readLanes } from "../reduce/reduced-layout.ts";

/** Where sorted elements and their positions go: the first `target.n` of each lane. */
export interface Sorted {
  readonly values: TensorView;
  readonly indices: TensorView;
  readonly target: ReducedLayout;
}

/**
 * Sorts the positions of long lanes in a network of compare-and-swap passes (Batcher's bitonic sorter): log²(n) / 2 of
 * them, each a dispatch of the same shader. Lanes are padded to a power of two with positions behind the last. Returns
 * the positions in their order, a row for each padded lane.
 */
export function planBitonic(
  call: KernelCall,
  self: TensorView,
  layout: ReducedLayout,
  order: string,
  { values, indices, target }: Sorted,
): TensorView {
  const { outer, n } = layout;
  const size = 2 ** Math.ceil(Math.log2(n));
  const positions = call.temporary("int32", [outer, size]);
  call
    .shader("sort positions")
    .u32("size", size)
    .write("at", positions)
    .forEach(outer * size, "set_at(i, i32(i % p.size));");
  for (let block = 2; block <= size; block *= 2) {
    for (let distance = block / 2; distance >= 1; distance /= 2) {
      const shader = readLanes(call.shader("sort pass"), self, layout).write("positions", positions);
      shader
        .u32("n", n)
        .u32("half", size / 2)
        .u32("block", block)
        .u32("distance", distance);
      shader.forEach(
        (outer * size) / 2,
        `let lane = i / p.half;
  let pair = i % p.half;
  let low = 2u * (pair - pair % p.distance) + pair % p.distance;
  let high = low + p.distance;
  let start = lane * 2u * p.half;
  let a = u32(positions_buf[start + low]);
  let b = u32(positions_buf[start + high]);
  let ascending = (low & p.block) == 0u;
  if (comes_before(outer(lane), b, a) == ascending) {
    positions_buf[start + low] = i32(b);
    positions_buf[start + high] = i32(a);
  }`,
        {
          declarations: `${order}fn comes_before(base: u32, i: u32, j: u32) -> bool {
  if (i >= p.n || j >= p.n) { return i < j; }
  return before(key(x_at(base + inner(i))), i, key(x_at(base + inner(j))), j);
}
`,
        },
      );
    }
  }
  const shader = readLanes(call.shader("sorted"), self, layout).read("positions", positions);
  shader.u32("size", size).u32("kept", target.n).write("values", values).write("indices", indices);
  shader.offsets("to_outer", target.kept).offsets("to_inner", target.reduced);
  shader.forEach(
    outer * target.n,
    `let lane = i / p.kept;
  let rank = i % p.kept;
  let at = positions(lane * p.size + rank);
  let to = to_outer(lane) + to_inner(rank);
  set_values(to, x_at(outer(lane) + inner(u32(at))));
  set_indices(to, at);`,
  );
  return positions;
}
