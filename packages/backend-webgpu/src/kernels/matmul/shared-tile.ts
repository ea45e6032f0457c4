import type { PlanContext } from "../../engine/kernel.ts";
import { type PlannedMatmul, sizeOf } from "./matmul.ts";
import { declareOperands, liesInColumns, type Output } from "./operands.ts";

/** Elements of a dot product that are in workgroup memory at a time. */
const DEPTH = 32;

/** How a shared tile is cut: `edge` rows and columns of the result, and how often `k` is split between workgroups. */
export interface SharedTile {
  readonly edge: 32 | 64;
  /** Parts of `k`, each with a result of its own: [part, batch, m, n]. */
  readonly parts: number;
}

/**
 * A product for GPUs: a workgroup computes a square of the result, each invocation four by four elements of it, from
 * stripes of both matrices that the invocations load together into workgroup memory.
 */
export function planSharedTile(ctx: PlanContext, product: PlannedMatmul, tile: SharedTile, output: Output): void {
  const { edge, parts } = tile;
  const { batch, m, n, k } = sizeOf(product);
  const blocks = edge / 4;
  const threads = blocks * blocks;
  const shader = ctx.shader(`matmul ${edge}x${edge}${parts > 1 ? " in parts" : ""}`);
  const operands = declareOperands(shader, product, output);
  const [down, across] = [Math.ceil(m / edge), Math.ceil(n / edge)];
  // Parts begin at multiples of four, so that their vectors stay whole.
  shader
    .u32("down", down)
    .u32("across", across)
    .u32("depth", parts === 1 ? k : Math.ceil(k / parts / DEPTH) * DEPTH);
  shader.u32("batches", batch).u32("each", 4);
  const depth4 = DEPTH / 4;
  const declarations = `${operands}var<workgroup> a_tile: array<vec4<f32>, ${edge * depth4}>;
var<workgroup> b_tile: array<vec4<f32>, ${DEPTH * blocks}>;
`;
  // Neighbors load what lies next to each other in memory.
  const [kOf, columnOf] = liesInColumns(product)
    ? [`t % ${depth4}u`, `t / ${depth4}u`]
    : [`t / ${blocks}u`, `t % ${blocks}u`];
  const rows = [0, 1, 2, 3];
  const body = `let first_column = ${edge}u * (group % p.across);
  let first_row = ${edge}u * (group / p.across % p.down);
  let stack = group / p.across / p.down;
  let batch = stack % p.batches;
  let start = stack / p.batches * p.depth;
  let end = min(start + p.depth, p.k);
  let x = lane % ${blocks}u;
  let y = lane / ${blocks}u;
  ${rows.map((i) => `var c${i} = vec4<f32>();`).join(" ")}
  for (var k = start; k < end; k += ${DEPTH}u) {
    for (var t = lane; t < ${edge * depth4}u; t += ${threads}u) {
      let at = k + t % ${depth4}u * 4u;
      a_tile[t] = vec4<f32>();
      if (at < end) { a_tile[t] = a4(batch, first_row + t / ${depth4}u, at); }
    }
    for (var t = lane; t < ${depth4 * blocks}u; t += ${threads}u) {
      let row = 4u * (${kOf});
      let column = ${columnOf};
      var block = mat4x4<f32>();
      if (k + row < end) { block = b4x4(batch, k + row, first_column + 4u * column); }
      ${rows.map((q) => `b_tile[(row + ${q}u) * ${blocks}u + column] = block[${q}];`).join("\n      ")}
    }
    workgroupBarrier();
    for (var q = 0u; q < ${depth4}u; q++) {
      ${rows.map((q) => `let b${q} = b_tile[(4u * q + ${q}u) * ${blocks}u + x];`).join("\n      ")}
      ${rows.map((i) => `{ let a = a_tile[(4u * y + ${i}u) * ${depth4}u + q]; c${i} = ${rows.reduce((sum, q) => `fma(b${q}, vec4<f32>(a[${q}]), ${sum})`, `c${i}`)}; }`).join("\n      ")}
    }
    workgroupBarrier();
  }
  let column = first_column + 4u * x;
  let bias = bias4(column);
// A loop, since what is unrolled takes compilers long.
  for (var i = 0u; i < p.each; i++) {
    var c = c0;
    switch i { ${rows
      .slice(1)
      .map((i) => `case ${i}u: { c = c${i}; }`)
      .join(" ")} default: {} }
    store(${parts > 1 ? "stack" : "batch"}, first_row + 4u * y + i, column, c + bias);
  }`;
  shader.forEachGroup(parts * batch * down * across, body, { workgroupSize: threads, declarations });
}
