/** Numbers in memory in rows: where the first begins, and how far apart they begin. */
export interface Rows {
  readonly of: Float64Array;
  readonly start: number;
  readonly step: number;
}

/** A matrix in memory: its elements are `step` apart down a column, `across` apart along a row. */
export interface Factors extends Rows {
  readonly across: number;
}

/**
 * Subtracts from `rows` rows X, of a length, the product of `factors` and of `count` rows Y, in the order of Y's rows. Four rows
 * of X and four of Y go together: what is read from memory is used four times, which takes a third of the time of one by one.
 */
export function subtractProduct(x: Rows, rows: number, length: number, y: Rows, factors: Factors, count: number): void {
  for (let i = 0; i < rows; ) {
    const height = i + 4 <= rows ? 4 : 1;
    for (let r = 0; r < count; ) {
      const depth = r + 4 <= count ? 4 : 1;
      const to = x.start + i * x.step;
      const from = y.start + r * y.step;
      const at = factors.start + i * factors.step + r * factors.across;
      if (depth === 1 && height === 1) subtractRow(x, to, length, y, from, factors.of[at]!);
      else if (depth === 1) subtractFromFour(x, to, length, y, from, factors, at);
      else if (height === 1) subtractFour(x, to, length, y, from, factors, at);
      else subtractSixteen(x, to, length, y, from, factors, at);
      r += depth;
    }
    i += height;
  }
}

function subtractRow({ of: x }: Rows, to: number, length: number, { of: y }: Rows, from: number, factor: number): void {
  for (let i = to, p = from; i < to + length; i++, p++) x[i]! -= factor * y[p]!;
}

function subtractFromFour(
  { of: x, step: down }: Rows,
  to: number,
  length: number,
  { of: y }: Rows,
  from: number,
  { of: factors, step: next }: Factors,
  at: number,
): void {
  const a = factors[at]!;
  const b = factors[at + next]!;
  const c = factors[at + 2 * next]!;
  const d = factors[at + 3 * next]!;
  for (let i = to, p = from; i < to + length; i++, p++) {
    const value = y[p]!;
    x[i]! -= a * value;
    x[i + down]! -= b * value;
    x[i + 2 * down]! -= c * value;
    x[i + 3 * down]! -= d * value;
  }
}

function subtractFour(
  { of: x }: Rows,
  to: number,
  length: number,
  { of: y, step }: Rows,
  from: number,
  { of: factors, across }: Factors,
  at: number,
): void {
  const a = factors[at]!;
  const b = factors[at + across]!;
  const c = factors[at + 2 * across]!;
  const d = factors[at + 3 * across]!;
  for (let i = to, p = from; i < to + length; i++, p++) {
    x[i] = x[i]! - a * y[p]! - b * y[p + step]! - c * y[p + 2 * step]! - d * y[p + 3 * step]!;
  }
}

function subtractSixteen(
  { of: x, step: down }: Rows,
  to: number,
  length: number,
  { of: y, step }: Rows,
  from: number,
  { of: factors, step: next, across }: Factors,
  at: number,
): void {
  const factor = (i: number, r: number): number => factors[at + i * next + r * across]!;
  const a0 = factor(0, 0);
  const b0 = factor(0, 1);
  const c0 = factor(0, 2);
  const d0 = factor(0, 3);
  const a1 = factor(1, 0);
  const b1 = factor(1, 1);
  const c1 = factor(1, 2);
  const d1 = factor(1, 3);
  const a2 = factor(2, 0);
  const b2 = factor(2, 1);
  const c2 = factor(2, 2);
  const d2 = factor(2, 3);
  const a3 = factor(3, 0);
  const b3 = factor(3, 1);
  const c3 = factor(3, 2);
  const d3 = factor(3, 3);
  for (let i = to, p = from; i < to + length; i++, p++) {
    const a = y[p]!;
    const b = y[p + step]!;
    const c = y[p + 2 * step]!;
    const d = y[p + 3 * step]!;
    const i1 = i + down;
    const i2 = i1 + down;
    const i3 = i2 + down;
    x[i] = x[i]! - a0 * a - b0 * b - c0 * c - d0 * d;
    x[i1] = x[i1]! - a1 * a - b1 * b - c1 * c - d1 * d;
    x[i2] = x[i2]! - a2 * a - b2 * b - c2 * c - d2 * d;
    x[i3] = x[i3]! - a3 * a - b3 * b - c3 * c - d3 * d;
  }
}

/** Exchanges two rows of a width. */
export function exchangeRows(x: Float64Array, width: number, i: number, k: number): void {
  for (let p = i * width, q = k * width, end = p + width; p < end; p++, q++) {
    const kept = x[p]!;
    x[p] = x[q]!;
    x[q] = kept;
  }
}
