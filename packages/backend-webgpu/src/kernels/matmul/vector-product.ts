import type { PlanContext } from "../../engine/kernel.ts";
import { declareOperands, layoutOf, type Output } from "./operands.ts";
import { type PlannedProduct, sizeOf } from "./product.ts";

/** Rows of the left matrix that are worth it: each needs a register of its own. */
export const MOST_ROWS = 4;

/**
 * A product with few rows for GPUs: reading the right matrix is all there is to do. The invocations of a workgroup share
 * `k` and some columns among them so that neighbours read neighbours, and add up at the end what they have.
 */
export function planVectorProduct(ctx: PlanContext, product: PlannedProduct, output: Output): void {
  const { batch, m, n } = sizeOf(product);
  const shader = ctx.shader(`matmul of ${m} rows`);
  const operands = declareOperands(shader, product, output);
  const along = layoutOf(product.b) === "columns";
  const [deep, wide] = along ? [32, 2] : [8, 16];
  const across = Math.ceil(n / (4 * wide));
  shader.u32("across", across);
  const threads = deep * wide;
  const rows = Array.from({ length: m }, (_, i) => i);
  const declarations = `${operands}var<workgroup> sums: array<vec4<f32>, ${m * threads}>;\n`;
  const place = along ? `${deep}u * x + z` : `${wide}u * z + x`;
  const body = `let z = ${along ? `lane % ${deep}u` : `lane / ${wide}u`};
  let x = ${along ? `lane / ${deep}u` : `lane % ${wide}u`};
  let column = 4u * (group % p.across * ${wide}u + x);
  let batch = group / p.across;
  ${rows.map((i) => `var c${i} = vec4<f32>();`).join(" ")}
  for (var k = 4u * z; k < p.k; k += ${4 * deep}u) {
    let b = b4x4(batch, k, column);
    ${rows.map((i) => `c${i} += b * a4(batch, ${i}u, k);`).join("\n    ")}
  }
  let at = ${place};
  ${rows.map((i) => `sums[${i * threads}u + at] = c${i};`).join(" ")}
  for (var half = ${deep / 2}u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (z < half) {
      let other = at + half * ${along ? 1 : wide}u;
      for (var i = 0u; i < p.m; i++) { sums[${threads}u * i + at] += sums[${threads}u * i + other]; }
    }
  }
  if (z == 0u) {
    let bias = bias4(column);
    for (var i = 0u; i < p.m; i++) { store(batch, i, column, sums[${threads}u * i + at] + bias); }
  }`;
  shader.forEachGroup(batch * across, body, { workgroupSize: threads, declarations });
}
