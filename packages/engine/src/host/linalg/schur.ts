import {
  absolute,
  type Complex,
  complex,
  conjugate,
  magnitude,
  minus,
  negative,
  over,
  plus,
  scaled,
  squareRoot,
  times,
  ZERO,
} from "./complex.ts";
import type { Hessenberg } from "./hessenberg.ts";
import { at, type Matrix, put, scaleLine, turnLines } from "./matrix.ts";

/** Steps for one eigenvalue after which the iteration ends without convergence; every tenth step uses another shift. */
const PATIENCE = 300;

/** Makes a complex Hessenberg matrix upper triangular, by single shifts as LAPACK's lahqr; Q is turned along. */
export function triangulate({ h, q }: Hessenberg, precision: number): void {
  for (let i = h.rows - 1; i > 0; ) {
    for (let step = 1; ; step++) {
      const low = splitAt(h, i, precision);
      if (low === i || step > PATIENCE) break;
      const shift = step % 10 === 0 ? exceptional(h, step % 20 === 0 ? i : low + 1) : wilkinson(h, i);
      turnTo(h, q, low, minus(at(h, low, low), shift), at(h, low + 1, low));
      for (let k = low + 1; k < i; k++) {
        turnTo(h, q, k, at(h, k, k - 1), at(h, k + 1, k - 1));
        put(h, k + 1, k - 1, ZERO);
      }
    }
    i--;
  }
}

/** The first row of the part above row `i` that nothing beside the diagonal cuts; what cuts it off becomes zero. */
export function splitAt(h: Matrix, i: number, precision: number): number {
  const size = (r: number, c: number): number => magnitude(at(h, r, c));
  for (let k = i; k > 0; k--) {
    const beside = size(k, k - 1);
    let near = size(k - 1, k - 1) + size(k, k);
    if (near === 0) near = (k > 1 ? size(k - 1, k - 2) : 0) + (k < h.rows - 1 ? size(k + 1, k) : 0);
    if (beside > Number.MIN_VALUE && !(beside <= precision * near && isSmall(h, k, precision))) continue;
    put(h, k, k - 1, ZERO);
    return k;
  }
  return 0;
}

/** Returns whether the element left of (k, k) can become zero without a change of the eigenvalues (Ahues and Tisseur). */
function isSmall(h: Matrix, k: number, precision: number): boolean {
  const [x, y] = [magnitude(at(h, k, k - 1)), magnitude(at(h, k - 1, k))];
  const own = magnitude(at(h, k, k));
  const apart = magnitude(minus(at(h, k - 1, k - 1), at(h, k, k)));
  const [large, small] = [Math.max(own, apart), Math.min(own, apart)];
  const [more, less] = [Math.max(x, y), Math.min(x, y)];
  const sum = large + more;
  return less * (more / sum) <= Math.max(Number.MIN_VALUE, precision * (small * (large / sum)));
}

/**
 * Turns rows and columns `k` and `k + 1` to a basis whose first vector has the direction (x, y). Rows of `q` are vectors.
 */
export function turnTo(h: Matrix, q: Matrix, k: number, x: Complex, y: Complex): void {
  const [a, b] = [absolute(x), absolute(y)];
  const size = Math.hypot(a, b);
  if (size === 0) return;
  const phase = (z: Complex, length: number): Complex => (length === 0 ? complex(1) : scaled(z, 1 / length));
  const phases = [phase(x, a), phase(y, b)];
  const [c, s] = [a / size, b / size];
  for (const [n, factor] of phases.entries()) {
    scaleLine(h, "row", k + n, conjugate(factor));
    scaleLine(h, "column", k + n, factor);
    scaleLine(q, "row", k + n, factor);
  }
  for (const [lines, axis] of [
    [h, "row"],
    [h, "column"],
    [q, "row"],
  ] as const) {
    turnLines(lines, axis, k, k + 1, c, -s);
  }
}

/** The eigenvalue of the last two rows that is closer to the last element. */
function wilkinson(h: Matrix, i: number): Complex {
  const last = at(h, i, i);
  const u = times(squareRoot(at(h, i - 1, i)), squareRoot(at(h, i, i - 1)));
  const size = magnitude(u);
  if (size === 0) return last;
  const x = scaled(minus(at(h, i - 1, i - 1), last), 0.5);
  const s = Math.max(size, magnitude(x));
  const [p, r] = [scaled(x, 1 / s), scaled(u, 1 / s)];
  let y = scaled(squareRoot(plus(times(p, p), times(r, r))), s);
  if (magnitude(x) > 0 && x.re * y.re + x.im * y.im < 0) y = negative(y);
  return minus(last, times(u, over(u, plus(x, y))));
}

/** Returns an exceptional shift, which ends cycles. */
function exceptional(h: Matrix, k: number): Complex {
  return plus(at(h, k, k), complex(0.75 * magnitude(at(h, k, k - 1))));
}
