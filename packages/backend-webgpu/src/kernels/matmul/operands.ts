import { isContiguous } from "@pt2/format";
import type { TensorView } from "../../engine/tensor-view.ts";
import type { Shader } from "../../shader/shader.ts";
import { type PlannedMatmul, sizeOf } from "./matmul.ts";

/** Where the result of a product goes; `shader.result` by default. */
export type Output = (shader: Shader, options: { readonly vector: boolean }) => unknown;

/**
 * Declares what every product is made of, for `k`, `row` and `column` that begin fours; what lies behind the last `k` is
 * zero, and behind the last row or column the last one again:
 *
 * - `a4(batch, row, k)`: four elements of a row of the left matrix.
 * - `b4x4(batch, k, column)`: four rows of four columns of the right one, as columns of a WGSL matrix.
 * - `bias4(column)`: what is added to four columns.
 * - `store(batch, row, column, values)`: writes four columns of a row, where there are such.
 *
 * Sizes are `p.m`, `p.n` and `p.k`.
 */
export function declareOperands(shader: Shader, product: PlannedMatmul, output: Output): string {
  const { a, b, bias, width, first, packed } = product;
  const { m, n, k } = sizeOf(product);
  shader.u32("m", m).u32("n", n).u32("k", k).u32("width", width).u32("first", first);
  const vector = [width, first, n].every((size) => size % 4 === 0);
  const right = packed?.(shader) ?? declareRight(shader, b);
  const text = [declareLeft(shader, a), right, declareBias(shader, bias)];
  output(shader, { vector });
  return [...text, vector ? STORE_VECTOR : STORE_SCALARS].join("");
}

/** How a right matrix is read. */
export type Layout = "rows" | "columns" | "scalars";

/** The cheapest way to read blocks of a stack of matrices. */
export function layoutOf(b: TensorView): Layout {
  if (readsVectors(b, 2)) return "rows";
  return readsVectors(b, 1) ? "columns" : "scalars";
}

/** Whether the columns of a product's right matrix lie in memory one behind the other, and are read as vectors. */
export function liesInColumns({ b, packed }: PlannedMatmul): boolean {
  return packed === undefined && layoutOf(b) === "columns";
}

/** Whether elements along a dimension can be read four at a time, from every multiple of four on. */
function readsVectors({ shape, strides, offset }: TensorView, dim: number): boolean {
  const others = strides.filter((_, d) => d !== dim && shape[d] !== 1);
  return shape[dim]! % 4 === 0 && strides[dim] === 1 && [offset, ...others].every((n) => n % 4 === 0);
}

/** `stride * index`, where the text leaves out what is 0 or 1 times something. */
export function steps(shader: Shader, name: string, stride: number, size: number): (index: string) => string {
  if (stride === 0 || size === 1) return () => "0u";
  if (stride === 1) return (index) => index;
  shader.u32(name, stride);
  return (index) => `${index} * p.${name}`;
}

function declareLeft(shader: Shader, a: TensorView): string {
  const vector = readsVectors(a, 2);
  const [batch, m, k] = a.shape as readonly [number, number, number];
  const [next, row, column] = a.strides as readonly [number, number, number];
  shader.raw("a", a, { vector });
  const base = `${steps(shader, "a_batch", next, batch)("batch")} + ${steps(shader, "a_row", row, m)("min(row, p.m - 1u)")}`;
  if (vector) return `fn a4(batch: u32, row: u32, k: u32) -> vec4<f32> { return a_at4(${base} + k); }\n`;
  const step = steps(shader, "a_k", column, k);
  const load = (q: number): string => guarded(k, q, "0f", `a_at(base + ${step(inside(k, q))})`);
  return `fn a4(batch: u32, row: u32, k: u32) -> vec4<f32> {
  let base = ${base};
  return vec4<f32>(${FOUR.map(load).join(", ")});
}
`;
}

function declareRight(shader: Shader, b: TensorView): string {
  const layout = layoutOf(b);
  const [batch, k, n] = b.shape as readonly [number, number, number];
  const [next, row, column] = b.strides as readonly [number, number, number];
  shader.raw("b", b, { vector: layout !== "scalars" });
  const nextMatrix = steps(shader, "b_batch", next, batch)("batch");
  const down = steps(shader, "b_k", row, k);
  const across = steps(shader, "b_n", column, n);
  const rowOf = (q: number): string => guarded(k, q, "vec4<f32>()", `b_at4(base + ${down(inside(k, q))})`);
  const columnOf = (q: number): string => `b_at4(base + ${across(`min(column + ${q}u, p.n - 1u)`)})`;
  const scalarsOf = (q: number): string => {
    const loads = FOUR.map((j) => `b_at(base + ${down(inside(k, q))} + ${across(`min(column + ${j}u, p.n - 1u)`)})`);
    return guarded(k, q, "vec4<f32>()", `vec4<f32>(${loads.join(", ")})`);
  };
  const [base, block] = {
    rows: [`${nextMatrix} + min(column, p.n - 4u)`, `mat4x4<f32>(${FOUR.map(rowOf).join(", ")})`],
    columns: [`${nextMatrix} + k`, `transpose(mat4x4<f32>(${FOUR.map(columnOf).join(", ")}))`],
    scalars: [nextMatrix, `mat4x4<f32>(${FOUR.map(scalarsOf).join(", ")})`],
  }[layout];
  return `fn b4x4(batch: u32, k: u32, column: u32) -> mat4x4<f32> {
  let base = ${base};
  return ${block};
}
`;
}

function declareBias(shader: Shader, bias: TensorView | null): string {
  if (bias === null) return "fn bias4(column: u32) -> vec4<f32> { return vec4<f32>(); }\n";
  const vector = isContiguous(bias) && readsVectors(bias, 0);
  shader.raw("bias", bias, { vector });
  if (vector) return "fn bias4(column: u32) -> vec4<f32> { return bias_at4(min(column, p.n - 4u)); }\n";
  const step = steps(shader, "bias_step", bias.strides[0]!, bias.shape[0]!);
  const loads = FOUR.map((j) => `bias_at(${step(`min(column + ${j}u, p.n - 1u)`)})`);
  return `fn bias4(column: u32) -> vec4<f32> { return vec4<f32>(${loads.join(", ")}); }\n`;
}

export const FOUR = [0, 1, 2, 3] as const;

/** One of four `k`; the last one again behind that, where four do not divide it. */
function inside(k: number, q: number): string {
  return k % 4 === 0 ? `(k + ${q}u)` : `min(k + ${q}u, p.k - 1u)`;
}

/** A load that gives zero behind the last `k`, where four do not divide it. */
function guarded(k: number, q: number, zero: string, load: string): string {
  return k % 4 === 0 ? load : `select(${zero}, ${load}, k + ${q}u < p.k)`;
}

const STORE_VECTOR = `fn store(batch: u32, row: u32, column: u32, v: vec4<f32>) {
  if (row < p.m && column < p.n) { set_out4(((batch * p.m + row) * p.width + p.first + column) / 4u, v); }
}
`;

const STORE_SCALARS = `fn store(batch: u32, row: u32, column: u32, v: vec4<f32>) {
  if (row >= p.m) { return; }
  let at = (batch * p.m + row) * p.width + p.first + column;
${FOUR.map((j) => `  if (column + ${j}u < p.n) { set_out(at + ${j}u, v[${j}]); }\n`).join("")}}
`;
