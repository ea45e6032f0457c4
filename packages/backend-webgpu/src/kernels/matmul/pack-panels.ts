import { numel } from "@pt2/format";
import type { PlanContext } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { storageOf } from "../../wgsl/storage.ts";
import { type Matmul, sizeOf } from "./matmul.ts";
import { layoutOf } from "./operands.ts";

/** Rows from which on a right matrix that cannot be read as vectors is worth being packed on each run. */
const MANY_ROWS = 32;

/**
 * The right matrix in panels as wide as a tile, one behind the other and filled up with zeros, so that a tile reads memory
 * from front to back: [batch, panel, k, width]. Weights are packed once, at load. Null where the matrix is read as it is.
 */
export function panelsOf(ctx: PlanContext, product: Matmul, width: number): TensorView | null {
  const { b } = product;
  const { m } = sizeOf(product);
  const packs = b.buffer.constant !== null || (layoutOf(b) === "scalars" && m >= MANY_ROWS);
  if (!packs) return null;
  const matrix = b.strides[0] === 0 ? { ...b, shape: b.shape.with(0, 1) } : b;
  const [batch, k, n] = matrix.shape as readonly [number, number, number];
  const shape = [batch, Math.ceil(n / width), Math.ceil(k / 4) * 4, width];
  // What zeros make larger than a binding is read as it is.
  const bytes = numel(shape) * storageOf(b.dtype, ctx.adapter).bytes;
  if (bytes > ctx.adapter.limits.maxStorageBufferBindingSize) return null;
  const panels = ctx.prepared(matrix, `panels of ${width}`, { dtype: b.dtype, shape }, pack);
  return { ...panels, strides: panels.strides.with(0, batch === 1 ? 0 : panels.strides[0]!) };
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
