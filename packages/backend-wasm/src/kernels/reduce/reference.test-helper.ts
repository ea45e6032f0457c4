/** Returns the columns of row-major elements along some dimensions, in the order of the other ones. */
export function columnsAlong<T>(data: readonly T[], shape: readonly number[], dims: readonly number[]): readonly T[][] {
  const columns = new Map<string, T[]>();
  for (const [i, x] of data.entries()) {
    let rest = i;
    const at = shape.map(() => 0);
    for (let d = shape.length - 1; d >= 0; d--) [at[d], rest] = [rest % shape[d]!, Math.floor(rest / shape[d]!)];
    const key = at.filter((_, d) => !dims.includes(d)).join();
    const column = columns.get(key) ?? [];
    columns.set(key, column);
    column.push(x);
  }
  return [...columns.values()];
}

/** Replaces the elements along a dimension, column by column. */
export function mapColumns<T, R>(
  data: readonly T[],
  shape: readonly number[],
  dim: number,
  map: (column: readonly T[]) => readonly R[],
): readonly R[] {
  const places = columnsAlong([...data.keys()], shape, [dim]);
  const results = new Array<R>(data.length);
  for (const column of places) {
    for (const [i, result] of map(column.map((at) => data[at]!)).entries()) results[column[i]!] = result;
  }
  return results;
}
