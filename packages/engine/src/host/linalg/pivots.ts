import { backendError } from "@pt2/backend";

/** Refuses exchanges with rows that a matrix does not have. Rows are counted from 1. */
export function requirePivots(op: string, pivots: ArrayLike<number>, rows: number): void {
  for (let k = 0; k < pivots.length; k++) {
    if (!(pivots[k]! >= 1 && pivots[k]! <= rows)) throw badPivot(op, pivots[k]!, rows);
  }
}

/** The same for factors with blocks of two rows, which have one negative pivot for each of their rows. */
export function requireBlockPivots(op: string, pivots: ArrayLike<number>, rows: number): void {
  requirePivots(op, Array.from(pivots, Math.abs), rows);
  for (let k = 0; k < pivots.length; k++) {
    if (pivots[k]! > 0) continue;
    k++;
    if (!(k < pivots.length && pivots[k]! < 0)) throw badPivot(op, pivots[k - 1]!, rows);
  }
}

function badPivot(op: string, pivot: number, rows: number): Error {
  return backendError("backend.index-out-of-range", {
    what: `aten::${op}: the pivot ${pivot} is out of range for factors of ${rows} rows`,
    advice: "Give the pivots that belong to these factors.",
    details: { pivot, rows },
  });
}
