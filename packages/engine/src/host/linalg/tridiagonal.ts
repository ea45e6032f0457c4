import { type Matrix, turnLines } from "./matrix.ts";
import { rotation } from "./rotations.ts";

/** A symmetric matrix with elements on its diagonal and beside it. */
export interface Tridiagonal {
  readonly diagonal: Float64Array;
  readonly off: Float64Array;
}

/**
 * Makes the elements beside the diagonal zero, and turns the rows of `vectors` along: implicit QL, or QR where the matrix
 * grows towards its end, as LAPACK's steqr. Signs of vectors follow from how often it iterates, and that from the precision asked for.
 */
export function diagonalize({ diagonal: d, off: e }: Tridiagonal, vectors: Matrix, precision: number): void {
  const n = d.length;
  let sweeps = 30 * n;
  for (let first = 0, last = 0; first < n; first = last + 1) {
    last = blockEnd(d, e, first, precision);
    const forward = Math.abs(d[last]!) >= Math.abs(d[first]!);
    const [end, step] = forward ? [last, 1] : [first, -1];
    for (let l = forward ? first : last; (end - l) * step >= 0; ) {
      const m = smallFrom(d, e, l, end, { step, precision });
      if (m !== end) e[Math.min(m, m + step)] = 0;
      if (m === l) l += step;
      else if (m === l + step) {
        solvePair(d, e, Math.min(l, m), vectors);
        l += 2 * step;
      } else if (sweeps-- > 0) sweep(d, e, l, m, step, vectors);
      else break;
    }
  }
}

/** Where the part that begins at `first` ends: before an element beside the diagonal that is as good as zero. */
function blockEnd(d: Float64Array, e: Float64Array, first: number, precision: number): number {
  for (let m = first; m < e.length; m++) {
    const size = Math.abs(e[m]!);
    if (size > Math.sqrt(Math.abs(d[m]!)) * Math.sqrt(Math.abs(d[m + 1]!)) * precision) continue;
    e[m] = 0;
    return m;
  }
  return e.length;
}

/** The first place from `l` towards `end` behind which there is a zero. */
function smallFrom(
  d: Float64Array,
  e: Float64Array,
  l: number,
  end: number,
  { step, precision }: { readonly step: number; readonly precision: number },
): number {
  for (let m = l; m !== end; m += step) {
    const size = e[Math.min(m, m + step)]! ** 2;
    if (size <= precision ** 2 * Math.abs(d[m]!) * Math.abs(d[m + step]!) + Number.MIN_VALUE) return m;
  }
  return end;
}

/** One implicit step from `m` to `l` with Wilkinson's shift. */
function sweep(d: Float64Array, e: Float64Array, l: number, m: number, step: number, vectors: Matrix): void {
  const beside = (i: number): number => (step > 0 ? i : i - 1);
  const shift = (d[l + step]! - d[l]!) / (2 * e[beside(l)]!);
  let g = d[m]! - d[l]! + e[beside(l)]! / (shift + (shift < 0 ? -1 : 1) * Math.hypot(shift, 1));
  let [c, s, p] = [1, 1, 0];
  for (let i = m - step; (i - l) * step >= 0; i -= step) {
    const [f, b] = [s * e[beside(i)]!, c * e[beside(i)]!];
    const turn = rotation(g, f);
    [c, s] = [turn.c, turn.s];
    if (i !== m - step) e[beside(i + step)] = turn.r;
    g = d[i + step]! - p;
    const r = (d[i]! - g) * s + 2 * c * b;
    p = s * r;
    d[i + step] = g + p;
    g = c * r - b;
    turnLines(vectors, "row", i, i + step, c, s);
  }
  d[l]! -= p;
  e[beside(l)] = g;
}

/** Diagonalizes rows and columns `i` and `i + 1`, which nothing connects with others (LAPACK's laev2). */
function solvePair(d: Float64Array, e: Float64Array, i: number, vectors: Matrix): void {
  const [a, b, c] = [d[i]!, e[i]!, d[i + 1]!];
  const [sum, difference, twice] = [a + c, a - c, 2 * b];
  const root = Math.hypot(difference, twice);
  const [more, less] = Math.abs(a) > Math.abs(c) ? [a, c] : [c, a];
  const side = sum < 0 ? -1 : 1;
  const large = (sum + side * root) / 2;
  d[i] = large;
  d[i + 1] = sum === 0 ? -root / 2 : (more / large) * less - (b / large) * b;
  e[i] = 0;
  const along = difference >= 0 ? 1 : -1;
  const cs = difference + along * root;
  let [cosine, sine] = [1, 0];
  if (Math.abs(cs) > Math.abs(twice)) {
    const cotangent = -twice / cs;
    sine = 1 / Math.hypot(1, cotangent);
    cosine = cotangent * sine;
  } else if (twice !== 0) {
    const tangent = -cs / twice;
    cosine = 1 / Math.hypot(1, tangent);
    sine = tangent * cosine;
  }
  if (side === along) [cosine, sine] = [-sine, cosine];
  turnLines(vectors, "row", i, i + 1, cosine, -sine);
}
