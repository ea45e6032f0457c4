import type { PlanContext } from "../../engine/kernel.ts";
import { type PlannedMatmul, sizeOf } from "./matmul.ts";
import { declareOperands, type Output } from "./operands.ts";
import { panelsOf } from "./pack-panels.ts";

/** Lanes of a workgroup where subgroups are not to be had. */
const LANES = 8;

/**
 * A product for adapters that run on a CPU. Each workgroup is one vector of the CPU and keeps a tile of the result in
 * registers, four columns a lane. What costs there is loading, whatever the address; so lanes load a row of the left matrix
 * each, and broadcast what they have to the others.
 */
export function planRegisterTile(ctx: PlanContext, product: PlannedMatmul, output: Output): void {
  const size = sizeOf(product);
  const { subgroupSize } = ctx.adapter;
  const lanes = subgroupSize || LANES;
  const rows = rowsOf(size.m, subgroupSize);
  const packed = product.packed ?? panelsOf(ctx, product, lanes * 4);
  const shader = ctx.shader(`matmul ${rows}x${lanes * 4} in registers`);
  const declarations = declareOperands(shader, { ...product, packed }, output);
  const [down, across] = [Math.ceil(size.m / rows), Math.ceil(size.n / (lanes * 4))];
  shader.u32("down", down).u32("across", across).u32("rows", rows);
  const list = Array.from({ length: rows }, (_, i) => i);
  const groups = Array.from({ length: Math.ceil(rows / lanes) }, (_, g) => g);
  // Element q of row i: every lane has it at hand, or one lane gives it to all.
  const element = (i: number, q: number): string =>
    subgroupSize > 0 ? `subgroupBroadcast(left${Math.floor(i / lanes)}[${q}], ${i % lanes}u)` : `left${i}[${q}]`;
  const loads =
    subgroupSize > 0
      ? groups.map((g) => `let left${g} = a4(batch, row + ${g * lanes}u + lane, k);`)
      : list.map((i) => `let left${i} = a4(batch, row + ${i}u, k);`);
  const products = [0, 1, 2, 3].flatMap((q) =>
    list.map((i) => `c${i} = fma(vec4<f32>(${element(i, q)}), b[${q}], c${i});`),
  );
  const body = `let column = ${4 * lanes}u * (group % p.across) + 4u * lane;
  let row = ${rows}u * (group / p.across % p.down);
  let batch = group / p.across / p.down;
  ${list.map((i) => `var c${i} = vec4<f32>();`).join(" ")}
  for (var k = 0u; k < p.k; k += 4u) {
    ${loads.join(" ")}
    let b = b4x4(batch, k, column);
    ${products.join("\n    ")}
  }
  let bias = bias4(column);
  // One store for all rows: compiling it takes a CPU longer than what is computed.
  for (var i = 0u; i < p.rows; i++) {
    var c = c0;
    switch i { ${list
      .slice(1)
      .map((i) => `case ${i}u: { c = c${i}; }`)
      .join(" ")} default: {} }
    store(batch, row + i, column, c + bias);
  }`;
  shader.forEachGroup(size.batch * down * across, body, {
    workgroupSize: lanes,
    declarations,
    subgroups: subgroupSize > 0,
  });
}

/** Rows of a tile: as many as registers hold, unless fewer leave less undone at the end. */
function rowsOf(m: number, subgroupSize: number): number {
  const few = [1, 2, 4].find((rows) => m <= rows);
  if (few !== undefined) return few;
  if (subgroupSize === 0) return 8;
  // Loading four rows of the right matrix costs as much as all that is done with eight rows of the left one.
  const cost = (rows: number): number => Math.ceil(m / rows) * (8 + rows);
  return [24, 16, 8].reduce((best, rows) => (cost(rows) < cost(best) ? rows : best));
}
