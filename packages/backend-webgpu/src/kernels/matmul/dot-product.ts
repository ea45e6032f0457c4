import type { PlanContext } from "../../engine/kernel.ts";
import { lanesFor, sumOf, Team } from "../team.ts";
import { declareOperands, type Output } from "./operands.ts";
import { type PlannedProduct, sizeOf } from "./product.ts";

/** Columns from which on there is enough to do without sharing them among several subgroups. */
const MANY_COLUMNS = 1024;

/**
 * A product with few rows for GPUs, where the columns of the right matrix lie in memory one behind the other, as weights
 * do: a workgroup has four of them, and reads them from top to bottom.
 */
export function planDotProduct(ctx: PlanContext, product: PlannedProduct, output: Output): void {
  const { batch, m, n, k } = sizeOf(product);
  const alone = ctx.adapter.subgroupSize === 32 && n >= MANY_COLUMNS;
  const team = new Team(alone ? 32 : lanesFor(k / 4), ctx.adapter);
  const shader = ctx.shader(`matmul of ${m} rows by ${team.lanes}`);
  const declarations = declareOperands(shader, product, output) + team.declare("team_sum", sumOf("vec4<f32>"));
  const across = Math.ceil(n / 4);
  shader.u32("across", across);
  const rows = Array.from({ length: m }, (_, i) => i);
  const others = rows.slice(1).map((i) => `case ${i}u: { c = c${i}; }`);
  const body = `let column = 4u * (group % p.across);
  let batch = group / p.across;
  ${rows.map((i) => `var c${i} = vec4<f32>();`).join(" ")}
  for (var k = 4u * lane; k < p.k; k += ${4 * team.lanes}u) {
    let b = b4x4(batch, k, column);
    ${rows.map((i) => `c${i} += b * a4(batch, ${i}u, k);`).join("\n    ")}
  }
  for (var i = 0u; i < p.m; i++) {
    var c = c0;
    switch i { ${others.join(" ")} default: {} }
    let sum = team_sum(lane, c);
    if (lane == 0u) { store(batch, i, column, sum + bias4(column)); }
  }`;
  team.run(shader, batch * across, body, declarations);
}
