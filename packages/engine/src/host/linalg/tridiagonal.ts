import { zeros } from "./room.ts";
import { rotateColumns, rotatePair } from "./rotate-columns.ts";
import { rotation } from "./rotations.ts";

/** A symmetric matrix with elements on its diagonal and beside it. */
export interface Tridiagonal {
  readonly diagonal: Float64Array;
  readonly off: Float64Array;
}

/**
 * Makes the elements beside the diagonal zero, and turns the columns of each of `vectors` along: implicit QL, or QR where the matrix
 * grows towards its end, as LAPACK's steqr. Signs of vectors follow from how often it iterates, and that from the precision asked for.
 */
export function diagonalize(
  { diagonal: d, off: e }: Tridiagonal,
  vectors: readonly Float64Array[],
  precision: number,
): void {
  const n = d.length;
  const turns = { c: zeros(n), s: zeros(n) };
  let sweeps = 30 * n;
  for (let first = 0, last = 0; first < n; first = last + 1) {
    last = blockEnd(d, e, first, precision);
    const forward = Math.abs(d[last]!) >= Math.abs(d[first]!);
    const [end, step] = forward ? ([last, 1] as const) : ([first, -1] as const);
    for (let l = forward ? first : last; (end - l) * step >= 0; ) {
      const m = smallFrom(d, e, l, end, { step, precision });
      if (m !== end) e[Math.min(m, m + step)] = 0;
      if (m === l) l += step;
      else if (m === l + step) {
        solvePair(d, e, Math.min(l, m), vectors);
        l += 2 * step;
      } else if (sweeps-- > 0) sweep({ d, e, vectors, ...turns }, l, m, step);
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

/** A matrix, its vectors, and room for the turns of a step. */
interface Work {
  readonly d: Float64Array;
  readonly e: Float64Array;
  readonly vectors: readonly Float64Array[];
  readonly c: Float64Array;
  readonly s: Float64Array;
}

/** One implicit step from `m` to `l` with Wilkinson's shift. */
function sweep({ d, e, vectors, c: cosines, s: sines }: Work, l: number, m: number, step: 1 | -1): void {
  // The element beside the diagonal between row i and the next one in the direction is e[i - before].
  const before = step > 0 ? 0 : 1;
  const first = e[l - before]!;
  const shift = (d[l + step]! - d[l]!) / (2 * first);
  let g = d[m]! - d[l]! + first / (shift + (shift < 0 ? -1 : 1) * Math.hypot(shift, 1));
  let c = 1;
  let s = 1;
  let p = 0;
  let count = 0;
  for (let i = m - step; (i - l) * step >= 0; i -= step) {
    const f = s * e[i - before]!;
    const b = c * e[i - before]!;
    const turn = rotation(g, f);
    c = turn.c;
    s = turn.s;
    if (i !== m - step) e[i + step - before] = turn.r;
    g = d[i + step]! - p;
    const r = (d[i]! - g) * s + 2 * c * b;
    p = s * r;
    d[i + step] = g + p;
    g = c * r - b;
    cosines[count] = c;
    sines[count++] = s;
  }
  d[l]! -= p;
  e[l - before] = g;
  const turns = { first: m, step: step > 0 ? -1 : 1, count, c: cosines, s: sines } as const;
  for (const x of vectors) rotateColumns(x, d.length, turns);
}

/** Diagonalizes rows and columns `i` and `i + 1`, which nothing connects with others (LAPACK's laev2). */
function solvePair(d: Float64Array, e: Float64Array, i: number, vectors: readonly Float64Array[]): void {
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
  for (const x of vectors) rotatePair(x, d.length, i, cosine, sine);
}
