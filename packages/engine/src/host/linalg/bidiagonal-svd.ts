import { zeros } from "./room.ts";
import { rotateColumns, rotatePair } from "./rotate-columns.ts";
import { forwardRotation } from "./rotations.ts";
import { leastOfTwo, valuesOfTwo } from "./triangle-of-two.ts";

/** The number of sweeps per row after which the iteration ends without convergence. */
const PATIENCE = 6;

/** Square matrices, row-major, whose columns are vectors that are turned along; none where only values are wanted. */
export interface Vectors {
  readonly u: Float64Array;
  readonly v: Float64Array;
}

/** Cosines and sines of the turns of one sweep, in their order. */
interface Sweep {
  readonly c: Float64Array;
  readonly s: Float64Array;
}

/** The matrix that is worked on: its diagonal, what is above that, and vectors. */
interface Work {
  readonly d: Float64Array;
  readonly e: Float64Array;
  readonly vectors: Vectors | null;
  readonly rights: Sweep;
  readonly lefts: Sweep;
  readonly precision: number;
  readonly tolerance: number;
  /** Elements that are not larger than this count as zero. */
  readonly threshold: number;
}

/** A part of the matrix, and where a sweep over it begins. */
interface Range {
  readonly from: number;
  readonly to: number;
  /** 1 from its start to its end, else -1. */
  readonly step: 1 | -1;
}

/**
 * Makes an upper bidiagonal matrix diagonal by implicit QR with or without a shift, as LAPACK's bdsqr. Signs of vectors
 * follow from how often it iterates, and that from the precision asked for. The diagonal may end negative, in any order.
 */
export function diagonalizeBidiagonal(
  d: Float64Array,
  e: Float64Array,
  vectors: Vectors | null,
  precision: number,
): void {
  const n = d.length;
  const tolerance = Math.max(10, Math.min(100, precision ** -0.125)) * precision;
  const threshold = Math.max((tolerance * leastOf(d, e)) / Math.sqrt(n), PATIENCE * n * n * Number.MIN_VALUE);
  const room = (): Sweep => ({ c: zeros(n), s: zeros(n) });
  const work: Work = { d, e, vectors, rights: room(), lefts: room(), precision, tolerance, threshold };
  let steps = PATIENCE * n * n;
  let [step, oldLow, oldHigh]: [1 | -1, number, number] = [1, -1, -1];
  for (let high = n - 1; high > 0 && steps > 0; ) {
    const low = startOf(work, high);
    if (low === high) {
      high--;
      continue;
    }
    if (low === high - 1) {
      settleTwo(work, low);
      high -= 2;
      continue;
    }
    if (low > oldHigh || high < oldLow) step = Math.abs(d[low]!) >= Math.abs(d[high]!) ? 1 : -1;
    [oldLow, oldHigh] = [low, high];
    const range: Range = step === 1 ? { from: low, to: high, step } : { from: high, to: low, step };
    const least = split(work, range);
    if (least === null) continue;
    const largest = Math.max(
      ...Array.from(d.subarray(low, high + 1), Math.abs),
      ...Array.from(e.subarray(low, high), Math.abs),
    );
    const exact = n * tolerance * (least / largest) <= Math.max(precision, 0.01 * tolerance);
    const shift = exact ? 0 : shiftOf(work, range);
    if (shift === 0) sweep(work, range);
    else sweepShifted(work, range, shift);
    const last = beside(range.to, -step);
    if (Math.abs(e[last]!) <= threshold) e[last] = 0;
    steps -= high - low;
  }
}

/** The element beside the diagonal between row `i` and the one after it in a direction. */
function beside(i: number, step: number): number {
  return step === 1 ? i : i - 1;
}

/** Returns a lower bound of the singular values. */
function leastOf(d: Float64Array, e: Float64Array): number {
  let mu = Math.abs(d[0] ?? 0);
  let least = mu;
  for (let i = 1; i < d.length && least > 0; i++) {
    mu = Math.abs(d[i]!) * (mu / (mu + Math.abs(e[i - 1]!)));
    least = Math.min(least, mu);
  }
  return least;
}

function startOf({ e, threshold }: Work, high: number): number {
  for (let k = high - 1; k >= 0; k--) {
    if (Math.abs(e[k]!) > threshold) continue;
    e[k] = 0;
    return k + 1;
  }
  return 0;
}

/** Sets an element to zero if the singular values allow it, and returns null; else returns a lower bound of them. */
function split({ d, e, tolerance }: Work, { from, to, step }: Range): number | null {
  const last = beside(to, -step);
  if (Math.abs(e[last]!) <= tolerance * Math.abs(d[to]!)) {
    e[last] = 0;
    return null;
  }
  let mu = Math.abs(d[from]!);
  let least = mu;
  for (let i = from; i !== to; i += step) {
    const k = beside(i, step);
    if (Math.abs(e[k]!) <= tolerance * mu) {
      e[k] = 0;
      return null;
    }
    mu = Math.abs(d[i + step]!) * (mu / (mu + Math.abs(e[k]!)));
    least = Math.min(least, mu);
  }
  return least;
}

/** The smaller singular value of the last two rows, unless it is too small to count. */
function shiftOf({ d, e, precision }: Work, { from, to, step }: Range): number {
  const shift = leastOfTwo(d[to - step]!, e[beside(to, -step)]!, d[to]!);
  const first = Math.abs(d[from]!);
  return first > 0 && (shift / first) ** 2 < precision ? 0 : shift;
}

/** Turns vectors by a sweep: V by the turns from the right and U by those from the left, the other way round backwards. */
function turnVectors({ d, vectors, rights, lefts }: Work, { from, to, step }: Range): void {
  if (vectors === null) return;
  const [first, second] = step === 1 ? [vectors.v, vectors.u] : [vectors.u, vectors.v];
  const count = Math.abs(to - from);
  rotateColumns(first, d.length, { first: from, step, count, ...rights });
  rotateColumns(second, d.length, { first: from, step, count, ...lefts });
}

function record({ c, s }: Sweep, k: number, turn: { readonly c: number; readonly s: number }): void {
  c[k] = turn.c;
  s[k] = turn.s;
}

/** One sweep without a shift, which keeps small values exact. */
function sweep(work: Work, range: Range): void {
  const { d, e } = work;
  const { from, to, step } = range;
  let [c, oldC, oldS] = [1, 1, 0];
  for (let i = from; i !== to; i += step) {
    const turn = forwardRotation(d[i]! * c, e[beside(i, step)]!);
    c = turn.c;
    if (i !== from) e[beside(i, -step)] = oldS * turn.r;
    const other = forwardRotation(oldC * turn.r, d[i + step]! * turn.s);
    [oldC, oldS] = [other.c, other.s];
    d[i] = other.r;
    record(work.rights, Math.abs(i - from), turn);
    record(work.lefts, Math.abs(i - from), other);
  }
  const h = d[to]! * c;
  d[to] = h * oldC;
  e[beside(to, -step)] = h * oldS;
  turnVectors(work, range);
}

function sweepShifted(work: Work, range: Range, shift: number): void {
  const { d, e } = work;
  const { from, to, step } = range;
  const start = d[from]!;
  let f = (Math.abs(start) - shift) * ((start < 0 ? -1 : 1) + shift / start);
  let g = e[beside(from, step)]!;
  for (let i = from; i !== to; i += step) {
    const [k, next] = [beside(i, step), i + step];
    const right = forwardRotation(f, g);
    if (i !== from) e[beside(i, -step)] = right.r;
    f = right.c * d[i]! + right.s * e[k]!;
    e[k] = right.c * e[k]! - right.s * d[i]!;
    g = right.s * d[next]!;
    d[next]! *= right.c;
    const left = forwardRotation(f, g);
    d[i] = left.r;
    f = left.c * e[k]! + left.s * d[next]!;
    d[next] = left.c * d[next]! - left.s * e[k]!;
    if (next !== to) {
      const after = beside(next, step);
      g = left.s * e[after]!;
      e[after]! *= left.c;
    }
    record(work.rights, Math.abs(i - from), right);
    record(work.lefts, Math.abs(i - from), left);
  }
  e[beside(to, -step)] = f;
  turnVectors(work, range);
}

/** Makes rows `i` and `i + 1` diagonal, which nothing connects with others. */
function settleTwo({ d, e, vectors, precision }: Work, i: number): void {
  const { large, small, left, right } = valuesOfTwo(d[i]!, e[i]!, d[i + 1]!, precision);
  [d[i], e[i], d[i + 1]] = [large, 0, small];
  if (vectors === null) return;
  rotatePair(vectors.v, d.length, i, right.c, right.s);
  rotatePair(vectors.u, d.length, i, left.c, left.s);
}
