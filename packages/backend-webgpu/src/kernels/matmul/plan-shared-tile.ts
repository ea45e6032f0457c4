import { numel } from "@pt2/format";
import type { PlanContext } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import type { Shader } from "../../shader/shader.ts";
import { MOST_ROWS, planFewRows } from "./few-rows.ts";
import { planFewRowsTransposed } from "./few-rows-transposed.ts";
import { type MatmulSize, type PlannedMatmul, sizeOf } from "./matmul.ts";
import { liesInColumns, type Output } from "./operands.ts";
import { planSharedTile } from "./shared-tile.ts";

/** Workgroups that keep a GPU busy; with fewer of them `k` is split. */
const ENOUGH_GROUPS = 64;
/** The least `k` that a part should have. */
const LEAST_DEPTH = 256;
const MOST_PARTS = 32;

/** A product on a GPU, whose workgroups share what they read. */
export function planSharedTiles(ctx: PlanContext, product: PlannedMatmul, output: Output): void {
  const size = sizeOf(product);
  if (size.m <= MOST_ROWS) {
    if (liesInColumns(product)) planFewRowsTransposed(ctx, product, output);
    else planFewRows(ctx, product, output);
    return;
  }
  const parts = splitsOf(size);
  if (parts > 1) planInParts(ctx, product, parts, output);
  else planSharedTile(ctx, product, { edge: edgeOf(size), parts: 1 }, output);
}

function groupsOf({ batch, m, n }: MatmulSize, edge: number): number {
  return batch * Math.ceil(m / edge) * Math.ceil(n / edge);
}

/** Larger tiles read less, where there are enough of them. */
function edgeOf(size: MatmulSize): 32 | 64 {
  return Math.min(size.m, size.n) >= 64 && groupsOf(size, 64) >= ENOUGH_GROUPS ? 64 : 32;
}

/** In how many parts `k` is split, so that small results of long sums keep the device busy too. */
function splitsOf(size: MatmulSize): number {
  const groups = groupsOf(size, 32);
  if (groups >= ENOUGH_GROUPS / 2) return 1;
  return Math.min(MOST_PARTS, Math.ceil(ENOUGH_GROUPS / groups), Math.max(1, Math.floor(size.k / LEAST_DEPTH)));
}

/** Products of parts of `k`, and their sum. */
function planInParts(ctx: PlanContext, product: PlannedMatmul, parts: number, output: Output): void {
  const { batch, m, n } = sizeOf(product);
  const { bias, width, first } = product;
  const partial = ctx.temporary("float32", [parts, batch, m, n]);
  const toPartial: Output = (shader, options) => shader.write("out", partial, options);
  planSharedTile(ctx, { ...product, bias: null, width: n, first: 0 }, { edge: 32, parts }, toPartial);
  const shader = ctx.shader("sum of parts").raw("x", partial);
  const count = batch * m * n;
  shader.u32("size", count).u32("n", n).u32("width", width).u32("first", first);
  const start = bias === null ? "0f" : readBias(shader, bias);
  output(shader, { vector: false });
  const body = `var sum = ${start};
  for (var part = 0u; part < ${parts}u; part++) { sum += x_at(part * p.size + i); }
  set_out(i / p.n * p.width + p.first + i % p.n, sum);`;
  shader.forEach(count, body);
}

function readBias(shader: Shader, bias: TensorView): string {
  shader.raw("bias", bias).u32("bias_step", numel(bias.shape) === 1 ? 0 : bias.strides[0]!);
  return "bias_at(i % p.n * p.bias_step)";
}
