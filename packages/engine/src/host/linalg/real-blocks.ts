import type { Matrix } from "./matrix.ts";
import { makeRealReflection, reflectionVector, reflectRows } from "./real-reflections.ts";
import { type Factors, type Rows, subtractProduct } from "./real-rows.ts";
import { zeros } from "./room.ts";

/** Reflections that are applied together. */
const BLOCK = 16;

/** Several reflections as one: `H₁ H₂ … = I - V T Vᵀ`, of the vectors V and an upper triangular T (Schreiber and Van Loan). */
interface Block {
  readonly rows: number;
  readonly count: number;
  readonly v: Float64Array;
  readonly t: Float64Array;
}

/** Factorizes a matrix by Householder's reflections in place, with their factors in `tau`. */
export function reflectReal({ rows, columns, re: a }: Matrix, tau: Float64Array): void {
  for (let first = 0; first < tau.length; first += BLOCK) {
    const end = Math.min(first + BLOCK, tau.length);
    for (let k = first; k < end; k++) {
      const column = { of: a, start: k * columns + k, step: columns, count: rows - k };
      tau[k] = makeRealReflection(column);
      const beside = { of: a, start: column.start + 1, step: columns };
      reflectRows(reflectionVector(column), tau[k]!, beside, end - k - 1);
    }
    if (end === columns) break;
    const rest = { of: a, start: first * columns + end, step: columns };
    applyBlock(blockOf({ rows, columns, re: a, im: null }, tau, first, end, 0), true, rest, columns - end);
  }
}

/**
 * Computes `Q B` or `Qᵀ B` in place of B. The vectors of the reflections begin `offset` below the diagonal. If B is the
 * identity, a block changes nothing left of its own first row.
 */
export function applyRealQ(
  a: Matrix,
  tau: Float64Array,
  b: Matrix,
  { adjoint, offset, identity }: { readonly adjoint: boolean; readonly offset: number; readonly identity: boolean },
): void {
  const blocks = Math.ceil(tau.length / BLOCK);
  for (let step = 0; step < blocks; step++) {
    const first = BLOCK * (adjoint ? step : blocks - 1 - step);
    const end = Math.min(first + BLOCK, tau.length);
    const row = first + offset;
    const column = identity ? Math.min(row, b.columns) : 0;
    const rows = { of: b.re, start: row * b.columns + column, step: b.columns };
    applyBlock(blockOf(a, tau, first, end, offset), adjoint, rows, b.columns - column);
  }
}

/** Makes a block of the reflections that are stored in columns (LAPACK's larft). */
function blockOf(a: Matrix, tau: Float64Array, first: number, end: number, offset: number): Block {
  const count = end - first;
  const rows = a.rows - first - offset;
  const v = zeros(rows * count);
  const t = zeros(count * count);
  for (let k = 0; k < count; k++) {
    v[k * count + k] = 1;
    for (let i = k + 1; i < rows; i++) v[i * count + k] = a.re[(i + first + offset) * a.columns + first + k]!;
  }
  const dots = zeros(count);
  for (let k = 0; k < count; k++) {
    const factor = tau[first + k]!;
    t[k * count + k] = factor;
    dots.fill(0);
    for (let i = k; i < rows; i++) {
      for (let j = 0; j < k; j++) dots[j]! += v[i * count + j]! * v[i * count + k]!;
    }
    for (let i = 0; i < k; i++) {
      let sum = 0;
      for (let j = i; j < k; j++) sum += t[i * count + j]! * dots[j]!;
      t[i * count + k] = -factor * sum;
    }
  }
  return { rows, count, v, t };
}

/** `(I - V T Vᵀ) B`, or its inverse times B, in place. */
function applyBlock({ rows, count, v, t }: Block, adjoint: boolean, b: Rows, length: number): void {
  const room = (): Rows => ({ of: zeros(count * length), start: 0, step: length });
  const transposed = (of: Float64Array): Factors => ({ of, start: 0, step: 1, across: count });
  const straight = (of: Float64Array): Factors => ({ of, start: 0, step: count, across: 1 });
  // -Vᵀ B, then what this times -T is.
  const [products, turned] = [room(), room()];
  subtractProduct(products, count, length, b, transposed(v), rows);
  subtractProduct(turned, count, length, products, adjoint ? transposed(t) : straight(t), count);
  subtractProduct(b, rows, length, turned, straight(v), count);
}
