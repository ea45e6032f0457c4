/** A dense row-major matrix in double precision. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly data: Float64Array;
}

/** A matrix of zeros, or over given elements. */
export function matrix(rows: number, columns: number, data: Float64Array = new Float64Array(rows * columns)): Matrix {
  return { rows, columns, data };
}

/** The identity, with more rows or columns than the other where asked for. */
export function identity(rows: number, columns: number = rows): Matrix {
  const result = matrix(rows, columns);
  for (let i = 0; i < Math.min(rows, columns); i++) result.data[i * columns + i] = 1;
  return result;
}

export function copyOf({ rows, columns, data }: Matrix): Matrix {
  return matrix(rows, columns, data.slice());
}

export function transposed({ rows, columns, data }: Matrix): Matrix {
  const result = matrix(columns, rows);
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) result.data[j * rows + i] = data[i * columns + j]!;
  return result;
}

export function product(a: Matrix, b: Matrix): Matrix {
  const result = matrix(a.rows, b.columns);
  for (let i = 0; i < a.rows; i++) {
    for (let k = 0; k < a.columns; k++) {
      const factor = a.data[i * a.columns + k]!;
      if (factor === 0) continue;
      for (let j = 0; j < b.columns; j++) result.data[i * b.columns + j]! += factor * b.data[k * b.columns + j]!;
    }
  }
  return result;
}

/** The first rows and columns. */
export function corner({ columns, data }: Matrix, rows: number, wide: number): Matrix {
  const result = matrix(rows, wide);
  for (let i = 0; i < rows; i++) result.data.set(data.subarray(i * columns, i * columns + wide), i * wide);
  return result;
}
