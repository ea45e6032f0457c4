import { type HostKernel, hostKernel } from "./host-kernel.ts";

/** A triangle of a matrix: the rows from `from` to before `end` have elements, each in a range of columns. */
interface Triangle {
  readonly from: number;
  readonly end: number;
  columns(row: number): readonly [from: number, end: number];
}

/** `tril_indices(row, col, offset)` and `triu_indices` return the rows of the positions, then their columns. */
function triangleIndices(
  op: "aten::tril_indices" | "aten::triu_indices",
  shape: (rows: number, columns: number, offset: number) => Triangle,
): HostKernel {
  return hostKernel([op], (call, { row: rows, col, offset }) => {
    const { from, end, columns } = shape(rows, col, offset);
    const count = call.shape(0)[1]!;
    const out = new Float64Array(2 * count);
    let at = 0;
    // There may be very many rows without elements, so the loop does not visit them.
    for (let row = from; row < end && at < count; row++) {
      const [first, last] = columns(row);
      for (let column = first; column < last; column++, at++) {
        out[at] = row;
        out[count + at] = column;
      }
    }
    return [out];
  });
}

export const trilIndices: HostKernel = triangleIndices("aten::tril_indices", (rows, columns, offset) => ({
  from: Math.max(0, -offset),
  end: rows,
  columns: (row) => [0, Math.min(columns, row + offset + 1)],
}));
export const triuIndices: HostKernel = triangleIndices("aten::triu_indices", (rows, columns, offset) => ({
  from: 0,
  end: Math.min(rows, columns - offset),
  columns: (row) => [Math.max(0, row + offset), columns],
}));
