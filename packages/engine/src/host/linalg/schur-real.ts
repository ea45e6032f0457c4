import type { Hessenberg } from "./hessenberg.ts";
import type { Matrix } from "./matrix.ts";
import { splitAt } from "./schur.ts";
import { standardize } from "./standard-block.ts";

/** Steps for one eigenvalue after which the iteration ends without convergence; every tenth step uses other shifts. */
const PATIENCE = 300;

/** Two shifts, real or conjugate to each other. */
interface Shifts {
  readonly first: number;
  readonly second: number;
  /** Imaginary part of the first one. */
  readonly im: number;
}

/**
 * Makes a real Hessenberg matrix upper triangular but for 2×2 blocks with conjugate eigenvalues and equal diagonal
 * elements, by double shifts as LAPACK's lahqr; the rows of Q are turned along.
 */
export function triangulateReal({ h, q }: Hessenberg, precision: number): void {
  for (let i = h.rows - 1; i >= 0; ) {
    let low = splitAt(h, i, precision);
    for (let step = 1; low < i - 1 && step <= PATIENCE; step++) {
      const shifts = shiftsOf(h, low, i, step);
      const { start, vector } = beginning(h, { low, end: i }, shifts, precision);
      sweep(h, q, { low, start, end: i }, vector);
      low = splitAt(h, i, precision);
    }
    if (low === i - 1) standardize(h, q, low, precision);
    i = Math.min(low, i) - 1;
  }
}

function shiftsOf({ re, columns: n }: Matrix, low: number, i: number, step: number): Shifts {
  const at = (r: number, c: number): number => re[r * n + c]!;
  let [a, b, c, d] = [at(i - 1, i - 1), at(i - 1, i), at(i, i - 1), at(i, i)];
  if (step % 10 === 0) {
    const [s, corner] =
      step % 20 === 0
        ? [Math.abs(at(i, i - 1)) + Math.abs(at(i - 1, i - 2)), at(i, i)]
        : [Math.abs(at(low + 1, low)) + Math.abs(at(low + 2, low + 1)), at(low, low)];
    [a, b, c, d] = [0.75 * s + corner, -0.4375 * s, s, 0.75 * s + corner];
  }
  const s = Math.abs(a) + Math.abs(b) + Math.abs(c) + Math.abs(d);
  if (s === 0) return { first: 0, second: 0, im: 0 };
  const half = (a / s + d / s) / 2;
  const determinant = (a / s - half) * (d / s - half) - (b / s) * (c / s);
  const root = Math.sqrt(Math.abs(determinant));
  if (determinant >= 0) return { first: half * s, second: half * s, im: root * s };
  // Both the real one that is closer to the last element.
  const close = Math.abs(half + root - d / s) <= Math.abs(half - root - d / s) ? half + root : half - root;
  return { first: close * s, second: close * s, im: 0 };
}

type Vector = readonly [number, number, number];

/** Where a step may begin, and its first column: behind two small elements in a row beside the diagonal. */
function beginning(
  { re, columns: n }: Matrix,
  { low, end }: Pick<Range, "low" | "end">,
  { first, second, im }: Shifts,
  precision: number,
): { readonly start: number; readonly vector: Vector } {
  const at = (r: number, c: number): number => re[r * n + c]!;
  for (let m = end - 2; ; m--) {
    const size = Math.abs(at(m, m) - second) + Math.abs(im) + Math.abs(at(m + 1, m));
    const below = at(m + 1, m) / size;
    const x = below * at(m, m + 1) + (at(m, m) - first) * ((at(m, m) - second) / size) + im * (im / size);
    const y = below * (at(m, m) + at(m + 1, m + 1) - first - second);
    const z = below * at(m + 2, m + 1);
    const sum = Math.abs(x) + Math.abs(y) + Math.abs(z);
    const vector: Vector = [x / sum, y / sum, z / sum];
    if (m === low) return { start: m, vector };
    const near = Math.abs(at(m - 1, m - 1)) + Math.abs(at(m, m)) + Math.abs(at(m + 1, m + 1));
    const cut = Math.abs(at(m, m - 1)) * (Math.abs(vector[1]) + Math.abs(vector[2]));
    if (cut <= precision * Math.abs(vector[0]) * near) return { start: m, vector };
  }
}

/** Rows that a step is about. */
interface Range {
  readonly low: number;
  readonly start: number;
  readonly end: number;
}

/** Chases a bulge down the diagonal, by reflections of three rows and columns. */
function sweep(h: Matrix, q: Matrix, { low, start, end }: Range, first: Vector): void {
  const { re, columns: n } = h;
  for (let k = start; k < end; k++) {
    const size = Math.min(3, end - k + 1);
    const [x, ...rest] =
      k === start ? first.slice(0, size) : Array.from({ length: size }, (_, r) => re[(k + r) * n + k - 1]!);
    const { beta, tau, v } = reflection(x!, rest);
    if (k > start) {
      re[k * n + k - 1] = beta;
      for (let r = 1; r < size; r++) re[(k + r) * n + k - 1] = 0;
    } else if (start > low) re[k * n + k - 1]! *= 1 - tau;
    reflectAll(re, { start: k * (n + 1), next: 1, count: n - k, step: n }, v, tau);
    reflectAll(re, { start: k, next: n, count: Math.min(k + 3, end) + 1, step: 1 }, v, tau);
    reflectAll(q.re, { start: k * n, next: 1, count: n, step: n }, v, tau);
  }
}

/** LAPACK's larfg: `(I - τ v vᵀ) (x, rest) = (β, 0)`, the first element of v being 1. */
function reflection(
  x: number,
  rest: readonly number[],
): { readonly beta: number; readonly tau: number; readonly v: readonly number[] } {
  const norm = Math.hypot(...rest);
  if (norm === 0) return { beta: x, tau: 0, v: [1, ...rest] };
  const size = Math.hypot(x, norm);
  const beta = x >= 0 ? -size : size;
  return { beta, tau: (beta - x) / beta, v: [1, ...rest.map((value) => value / (x - beta))] };
}

/** Vectors of two or three elements, which are `step` apart. Each begins `next` behind the one before. */
interface Bundle {
  readonly start: number;
  readonly next: number;
  readonly count: number;
  readonly step: number;
}

/** Applies a reflection to each vector of a bundle. */
function reflectAll(x: Float64Array, { start, next, count, step }: Bundle, v: readonly number[], tau: number): void {
  const [second, third] = [v[1]!, v[2]];
  for (let k = 0, a = start; k < count; k++, a += next) {
    const b = a + step;
    if (third === undefined) {
      const part = (x[a]! + second * x[b]!) * tau;
      x[a]! -= part;
      x[b]! -= part * second;
    } else {
      const c = b + step;
      const part = (x[a]! + second * x[b]! + third * x[c]!) * tau;
      x[a]! -= part;
      x[b]! -= part * second;
      x[c]! -= part * third;
    }
  }
}
