import { type Complex, ONE } from "./complex.ts";
import { exchangeRows, type Rows, subtractProduct } from "./real-rows.ts";
import { copied, zeros } from "./room.ts";

/** A dense row-major matrix in double precision. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly re: Float64Array;
  /** Imaginary parts; null in a matrix of real numbers. */
  readonly im: Float64Array | null;
}

/** Makes a matrix of zeros. */
export function matrix(rows: number, columns: number, isComplex: boolean): Matrix {
  const size = rows * columns;
  return { rows, columns, re: zeros(size), im: isComplex ? zeros(size) : null };
}

/** Makes a matrix of zeros that is real or complex as another matrix is. */
export function zerosLike({ im }: Matrix, rows: number, columns: number): Matrix {
  return matrix(rows, columns, im !== null);
}

/** The identity over the numbers of another matrix, with more rows or columns than the other where asked for. */
export function identityLike(other: Matrix, rows: number, columns: number = rows): Matrix {
  const result = zerosLike(other, rows, columns);
  for (let i = 0; i < Math.min(rows, columns); i++) put(result, i, i, ONE);
  return result;
}

export function copyOf({ rows, columns, re, im }: Matrix): Matrix {
  return { rows, columns, re: copied(re), im: im === null ? null : copied(im) };
}

export function at({ columns, re, im }: Matrix, i: number, j: number): Complex {
  const place = i * columns + j;
  return { re: re[place]!, im: im === null ? 0 : im[place]! };
}

/** Writes an element. In a real matrix the imaginary part is ignored. */
export function put({ columns, re, im }: Matrix, i: number, j: number, value: Complex): void {
  const place = i * columns + j;
  re[place] = value.re;
  if (im !== null) im[place] = value.im;
}

/** The conjugate transpose; of a real matrix, the transpose. */
export function adjointOf(a: Matrix): Matrix {
  const result = transposed(a);
  if (result.im !== null) negate(result.im);
  return result;
}

export function transposed(a: Matrix): Matrix {
  const { rows, columns, re, im } = a;
  const result = zerosLike(a, columns, rows);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      result.re[j * rows + i] = re[i * columns + j]!;
      if (im !== null) result.im![j * rows + i] = im[i * columns + j]!;
    }
  }
  return result;
}

export function product(a: Matrix, b: Matrix): Matrix {
  const result = zerosLike(a, a.rows, b.columns);
  if (a.im === null && b.im === null) {
    const rows = ({ re, columns }: Matrix): Rows => ({ of: re, start: 0, step: columns });
    const factors = { of: copied(a.re), start: 0, step: a.columns, across: 1 };
    negate(factors.of);
    subtractProduct(rows(result), a.rows, b.columns, rows(b), factors, b.rows);
    return result;
  }
  for (let i = 0; i < a.rows; i++) for (let k = 0; k < a.columns; k++) addRow(result, i, b, k, at(a, i, k));
  return result;
}

/** Returns the first rows and columns, padded with zeros. */
export function corner(a: Matrix, rows: number, columns: number): Matrix {
  const result = zerosLike(a, rows, columns);
  for (let i = 0; i < Math.min(rows, a.rows); i++) {
    for (let j = 0; j < Math.min(columns, a.columns); j++) put(result, i, j, at(a, i, j));
  }
  return result;
}

/** Returns the given columns, in the given order. */
export function columnsOf(a: Matrix, order: readonly number[]): Matrix {
  const result = zerosLike(a, a.rows, order.length);
  for (let i = 0, to = 0; i < a.rows; i++) {
    for (let k = 0; k < order.length; k++, to++) {
      const from = i * a.columns + order[k]!;
      result.re[to] = a.re[from]!;
      if (a.im !== null) result.im![to] = a.im[from]!;
    }
  }
  return result;
}

/** Adds a multiple of a row of one matrix to a row of another, from a column on: the inner loop of most algorithms here. */
export function addRow(to: Matrix, i: number, from: Matrix, k: number, factor: Complex, start = 0): void {
  const [x, y] = [factor.re, factor.im];
  if (x === 0 && y === 0) return;
  const [a, b] = [i * to.columns, k * from.columns];
  if (to.im === null || from.im === null) {
    for (let j = start; j < to.columns; j++) to.re[a + j]! += x * from.re[b + j]!;
    return;
  }
  for (let j = start; j < to.columns; j++) {
    const re = from.re[b + j]!;
    const im = from.im[b + j]!;
    to.re[a + j]! += x * re - y * im;
    to.im[a + j]! += x * im + y * re;
  }
}

/** Returns the inner product of two rows up to a column; the second row is conjugated. */
export function dotRows(a: Matrix, i: number, b: Matrix, k: number, end: number = a.columns): Complex {
  const [p, q] = [i * a.columns, k * b.columns];
  let [re, im] = [0, 0];
  for (let j = 0; j < end; j++) re += a.re[p + j]! * b.re[q + j]!;
  if (a.im === null || b.im === null) return { re, im };
  for (let j = 0; j < end; j++) {
    re += a.im[p + j]! * b.im[q + j]!;
    im += a.im[p + j]! * b.re[q + j]! - a.re[p + j]! * b.im[q + j]!;
  }
  return { re, im };
}

/** A line of a matrix: one of its rows, or one of its columns. */
export type Axis = "row" | "column";

/** Multiplies the elements of a line by a number. */
export function scaleLine(a: Matrix, axis: Axis, i: number, factor: Complex): void {
  if (factor.re === 1 && factor.im === 0) return;
  const { start, step, end } = lineOf(a, axis, i);
  for (let p = start; p < end; p += step) {
    const re = a.re[p]!;
    const im = a.im === null ? 0 : a.im[p]!;
    a.re[p] = re * factor.re - im * factor.im;
    if (a.im !== null) a.im[p] = re * factor.im + im * factor.re;
  }
}

/** Rotates two lines: `c x - s y` and `s x + c y`. */
export function turnLines(a: Matrix, axis: Axis, i: number, k: number, c: number, s: number): void {
  const { start, step, end } = lineOf(a, axis, i);
  const other = lineOf(a, axis, k).start - start;
  for (const part of a.im === null ? [a.re] : [a.re, a.im]) {
    for (let p = start; p < end; p += step) {
      const x = part[p]!;
      const y = part[p + other]!;
      part[p] = c * x - s * y;
      part[p + other] = s * x + c * y;
    }
  }
}

function lineOf({ rows, columns }: Matrix, axis: Axis, i: number): { start: number; step: number; end: number } {
  if (axis === "row") return { start: i * columns, step: 1, end: (i + 1) * columns };
  return { start: i, step: columns, end: rows * columns };
}

export function swapRows({ columns, re, im }: Matrix, i: number, k: number): void {
  if (i === k) return;
  for (const part of im === null ? [re] : [re, im]) {
    exchangeRows(part, columns, i, k);
  }
}

/** Returns the Euclidean norm of a row. */
export function rowNorm(a: Matrix, i: number): number {
  return Math.sqrt(dotRows(a, i, a, i).re);
}

function negate(values: Float64Array): void {
  for (let i = 0; i < values.length; i++) values[i] = -values[i]!;
}
