import { numel } from "@pt2/format";
import type { PlanContext } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import type { Shader } from "../../shader/shader.ts";
import { storageOf } from "../../wgsl/storage.ts";
import { type Matmul, type PlannedMatmul, sizeOf } from "./matmul.ts";
import { FOUR, layoutOf, steps } from "./operands.ts";

/** Rows from which on a right matrix that cannot be read as vectors is worth being packed on each run. */
const MANY_ROWS = 32;

/**
 * The right matrix in panels as wide as a tile, one behind the other and filled up with zeros, so that a tile reads memory
 * from front to back: [batch, panel, k, width]. Weights are packed once, at load. Returns what declares how panels are read;
 * undefined where the matrix is read as it is.
 */
export function panelsOf(ctx: PlanContext, product: Matmul, width: number): PlannedMatmul["packed"] {
  const { b } = product;
  const { m } = sizeOf(product);
  const packs = b.buffer.constant !== null || (layoutOf(b) === "scalars" && m >= MANY_ROWS);
  if (!packs) return undefined;
  const matrix = b.strides[0] === 0 ? { ...b, shape: b.shape.with(0, 1) } : b;
  const [batch, k, n] = matrix.shape as readonly [number, number, number];
  const shape = [batch, Math.ceil(n / width), Math.ceil(k / 4) * 4, width];
  // What zeros make larger than a binding is read as it is.
  const bytes = numel(shape) * storageOf(b.dtype, ctx.adapter).bytes;
  if (bytes > ctx.adapter.limits.maxStorageBufferBindingSize) return undefined;
  const panels = ctx.prepared(matrix, `panels of ${width}`, { dtype: b.dtype, shape }, pack);
  const strides = panels.strides.with(0, batch === 1 ? 0 : panels.strides[0]!);
  return (shader) => declarePanels(shader, { ...panels, strides });
}

function pack(ctx: PlanContext, from: TensorView, to: TensorView): void {
  const [, k, n] = from.shape as readonly [number, number, number];
  const [, panels, rows, width] = to.shape as readonly [number, number, number, number];
  const shader = ctx.shader("pack panels").at("x", from).write("out", to);
  shader.u32("k", k).u32("n", n).u32("panels", panels).u32("rows", rows);
  const body = `let line = i / ${width}u;
  let row = line % p.rows;
  let panel = line / p.rows % p.panels;
  let column = ${width}u * panel + i % ${width}u;
  let inside = row < p.k && column < p.n;
  set_out(i, select(0f, x(line / p.rows / p.panels, min(row, p.k - 1u), min(column, p.n - 1u)), inside));`;
  shader.forEach(numel(to.shape), body);
}

/** Declares `b4x4` for a matrix in panels. */
function declarePanels(shader: Shader, panels: TensorView): string {
  const [batch, , , width] = panels.shape as readonly [number, number, number, number];
  const [next, panel] = panels.strides as readonly [number, number, number, number];
  shader.raw("b", panels, { vector: true }).u32("b_panel", panel);
  const rows = FOUR.map((q) => `b_at4(base + ${q * width}u)`);
  return `fn b4x4(batch: u32, k: u32, column: u32) -> mat4x4<f32> {
  let base = ${steps(shader, "b_batch", next, batch)("batch")} + column / ${width}u * p.b_panel + k * ${width}u + column % ${width}u;
  return mat4x4<f32>(${rows.join(", ")});
}
`;
}
