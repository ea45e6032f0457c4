import { elementCount } from "@pt2/format";
import type { PlanContext } from "../../engine/kernel.ts";
import type { Place } from "../../engine/place.ts";
import { partsOf } from "../../shader/binding.ts";
import type { Shader } from "../../shader/shader.ts";
import type { Output } from "./operands.ts";
import { type PlannedProduct, type Product, type ProductSize, simplified, sizeOf } from "./product.ts";
import { planRegisterTile } from "./register-tile.ts";
import { planSharedTile } from "./shared-tile.ts";
import { MOST_ROWS, planVectorProduct } from "./vector-product.ts";

/** Columns that packing rounds up to. */
const PANEL = 32;
/** Workgroups that keep a GPU busy; with fewer of them `k` is split. */
const ENOUGH_GROUPS = 64;
/** The least `k` that a part should have. */
const LEAST_DEPTH = 256;
const MOST_PARTS = 32;

/**
 * Plans a product of floating point matrices, row-major, as result 0 of the call or where `output` says; the shader that
 * suits its size and the device is chosen here. A right matrix larger than what the device binds is bound in parts.
 */
export function planProduct(ctx: PlanContext, given: Product, output: Output = toResult): void {
  const product = simplified(given);
  const { batch, m, n } = sizeOf(product);
  if (batch * m * n === 0) return;
  for (const { place, start } of partsOf(product.b, 2, ctx.adapter, PANEL)) {
    const bias = product.bias && columnsOf(product.bias, start, place.shape[2]!);
    planPart(ctx, { a: product.a, b: place, bias, width: n, first: start }, output);
  }
}

function planPart(ctx: PlanContext, product: PlannedProduct, output: Output): void {
  const size = sizeOf(product);
  if (ctx.adapter.software) planRegisterTile(ctx, product, output);
  else if (size.m <= MOST_ROWS) planVectorProduct(ctx, product, output);
  else {
    const parts = splitsOf(size);
    if (parts > 1) planInParts(ctx, product, parts, output);
    else planSharedTile(ctx, product, { edge: edgeOf(size), parts: 1 }, output);
  }
}

const toResult: Output = (shader, options) => shader.result("out", 0, options);

function groupsOf({ batch, m, n }: ProductSize, edge: number): number {
  return batch * Math.ceil(m / edge) * Math.ceil(n / edge);
}

/** Larger tiles read less, where there are enough of them. */
function edgeOf(size: ProductSize): 32 | 64 {
  return Math.min(size.m, size.n) >= 64 && groupsOf(size, 64) >= ENOUGH_GROUPS ? 64 : 32;
}

/** In how many parts `k` is split, so that small results of long sums keep the device busy too. */
function splitsOf(size: ProductSize): number {
  const groups = groupsOf(size, 32);
  if (groups >= ENOUGH_GROUPS / 2) return 1;
  return Math.min(MOST_PARTS, Math.ceil(ENOUGH_GROUPS / groups), Math.max(1, Math.floor(size.k / LEAST_DEPTH)));
}

/** Products of parts of `k`, and their sum. */
function planInParts(ctx: PlanContext, product: PlannedProduct, parts: number, output: Output): void {
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

function readBias(shader: Shader, bias: Place): string {
  shader.raw("bias", bias).u32("bias_step", elementCount(bias.shape) === 1 ? 0 : bias.strides[0]!);
  return "bias_at(i % p.n * p.bias_step)";
}

/** Some elements of a vector. */
function columnsOf(vector: Place, start: number, count: number): Place {
  return { ...vector, shape: [count], offset: vector.offset + start * vector.strides[0]! };
}
