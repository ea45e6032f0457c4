import type { PlanContext } from "../../engine/kernel.ts";
import { invocationsFor, sumOf, WorkgroupReduction } from "../cooperative.ts";
import { type PlannedMatmul, sizeOf } from "./matmul.ts";
import { declareOperands, type Output } from "./operands.ts";

/** Columns from which on there is enough to do without sharing them among several subgroups. */
const MANY_COLUMNS = 1024;

/**
 * A product with few rows for GPUs, where the columns of the right matrix lie in memory one behind the other, as weights
 * do: a workgroup has four of them, and reads them from top to bottom.
 */
export function planFewRowsTransposed(ctx: PlanContext, product: PlannedMatmul, output: Output): void {
  const { batch, m, n, k } = sizeOf(product);
  const alone = ctx.adapter.subgroupSize === 32 && n >= MANY_COLUMNS;
  const workgroup = new WorkgroupReduction(alone ? 32 : invocationsFor(k / 4), ctx.adapter);
  const shader = ctx.shader(`matmul of ${m} rows by ${workgroup.lanes}`);
  const declarations =
    declareOperands(shader, product, output) + workgroup.declare("workgroup_sum", sumOf("vec4<f32>"));
  const across = Math.ceil(n / 4);
  shader.u32("across", across);
  const rows = Array.from({ length: m }, (_, i) => i);
  const others = rows.slice(1).map((i) => `case ${i}u: { c = c${i}; }`);
  const body = `let column = 4u * (group % p.across);
  let batch = group / p.across;
  ${rows.map((i) => `var c${i} = vec4<f32>();`).join(" ")}
  for (var k = 4u * lane; k < p.k; k += ${4 * workgroup.lanes}u) {
    let b = b4x4(batch, k, column);
    ${rows.map((i) => `c${i} += b * a4(batch, ${i}u, k);`).join("\n    ")}
  }
  for (var i = 0u; i < p.m; i++) {
    var c = c0;
    switch i { ${others.join(" ")} default: {} }
    let sum = workgroup_sum(lane, c);
    if (lane == 0u) { store(batch, i, column, sum + bias4(column)); }
  }`;
  workgroup.run(shader, batch * across, body, declarations);
}
