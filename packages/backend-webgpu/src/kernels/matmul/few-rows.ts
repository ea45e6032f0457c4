import type { PlanContext } from "../../engine/kernel.ts";
import { type PlannedMatmul, sizeOf } from "./matmul.ts";
import { declareOperands, type Output } from "./operands.ts";

/** Rows of the left matrix that are worth it: each needs a register of its own. */
export const MOST_ROWS = 4;

/** Invocations of a workgroup along `k`, and along columns. */
const [DEEP, WIDE] = [8, 16] as const;

/**
 * A product with few rows for GPUs: reading the right matrix is all there is to do. The invocations of a workgroup share
 * `k` and some columns among them so that neighbors read neighbors, and add up at the end what they have.
 */
export function planFewRows(ctx: PlanContext, product: PlannedMatmul, output: Output): void {
  const { batch, m, n } = sizeOf(product);
  const shader = ctx.shader(`matmul of ${m} rows`);
  const operands = declareOperands(shader, product, output);
  const across = Math.ceil(n / (4 * WIDE));
  shader.u32("across", across);
  const threads = DEEP * WIDE;
  const rows = Array.from({ length: m }, (_, i) => i);
  const declarations = `${operands}var<workgroup> sums: array<vec4<f32>, ${m * threads}>;\n`;
  const body = `let z = lane / ${WIDE}u;
  let x = lane % ${WIDE}u;
  let column = 4u * (group % p.across * ${WIDE}u + x);
  let batch = group / p.across;
  ${rows.map((i) => `var c${i} = vec4<f32>();`).join(" ")}
  for (var k = 4u * z; k < p.k; k += ${4 * DEEP}u) {
    let b = b4x4(batch, k, column);
    ${rows.map((i) => `c${i} += b * a4(batch, ${i}u, k);`).join("\n    ")}
  }
  ${rows.map((i) => `sums[${i * threads}u + lane] = c${i};`).join(" ")}
  for (var half = ${DEEP / 2}u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (z < half) {
      let other = lane + half * ${WIDE}u;
      for (var i = 0u; i < p.m; i++) { sums[${threads}u * i + lane] += sums[${threads}u * i + other]; }
    }
  }
  if (z == 0u) {
    let bias = bias4(column);
    for (var i = 0u; i < p.m; i++) { store(batch, i, column, sums[${threads}u * i + lane] + bias); }
  }`;
  shader.forEachGroup(batch * across, body, { workgroupSize: threads, declarations });
}
