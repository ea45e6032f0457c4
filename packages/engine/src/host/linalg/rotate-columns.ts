/** Givens rotations of neighboring columns: each rotates the column that the one before came to, and the next. */
export interface ColumnRotations {
  /** The first column. */
  readonly first: number;
  /** 1 towards the last column, else -1. */
  readonly step: 1 | -1;
  readonly count: number;
  /** Cosines and sines: columns x and y become `c x + s y` and `c y - s x`. */
  readonly c: Float64Array;
  readonly s: Float64Array;
}

/** Rotates columns of a square matrix. All rotations of a row at once: each number is read and written once. */
export function rotateColumns(x: Float64Array, columns: number, { first, step, count, c, s }: ColumnRotations): void {
  let start = first;
  // Four rows at once: the rotations of one wait for each other.
  for (; start + 3 * columns < x.length; start += 4 * columns) {
    let at0 = start;
    let at1 = at0 + columns;
    let at2 = at1 + columns;
    let at3 = at2 + columns;
    let x0 = x[at0]!;
    let x1 = x[at1]!;
    let x2 = x[at2]!;
    let x3 = x[at3]!;
    for (let k = 0; k < count; k++) {
      const cosine = c[k]!;
      const sine = s[k]!;
      const y0 = x[at0 + step]!;
      const y1 = x[at1 + step]!;
      const y2 = x[at2 + step]!;
      const y3 = x[at3 + step]!;
      x[at0] = cosine * x0 + sine * y0;
      x[at1] = cosine * x1 + sine * y1;
      x[at2] = cosine * x2 + sine * y2;
      x[at3] = cosine * x3 + sine * y3;
      x0 = cosine * y0 - sine * x0;
      x1 = cosine * y1 - sine * x1;
      x2 = cosine * y2 - sine * x2;
      x3 = cosine * y3 - sine * x3;
      at0 += step;
      at1 += step;
      at2 += step;
      at3 += step;
    }
    x[at0] = x0;
    x[at1] = x1;
    x[at2] = x2;
    x[at3] = x3;
  }
  for (; start < x.length; start += columns) {
    let at = start;
    let here = x[at]!;
    for (let k = 0; k < count; k++, at += step) {
      const next = x[at + step]!;
      x[at] = c[k]! * here + s[k]! * next;
      here = c[k]! * next - s[k]! * here;
    }
    x[at] = here;
  }
}

/** Rotates a column and the next one. */
export function rotatePair(x: Float64Array, columns: number, first: number, c: number, s: number): void {
  rotateColumns(x, columns, { first, step: 1, count: 1, c: Float64Array.of(c), s: Float64Array.of(s) });
}
