/**
 * Columns of numbers, one row for each placed buffer: its address range, and the beginnings that its lifetime spans.
 */
export class PlacedBuffers {
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly from: Int32Array;
  readonly to: Int32Array;

  constructor(length: number) {
    this.start = new Float64Array(length);
    this.end = new Float64Array(length);
    this.from = new Int32Array(length);
    this.to = new Int32Array(length);
  }

  set(row: number, start: number, end: number, from: number, to: number): void {
    this.start[row] = start;
    this.end[row] = end;
    this.from[row] = from;
    this.to[row] = to;
  }

  /** Makes room for a row among the first `count`. */
  insert(row: number, count: number): void {
    for (const column of [this.start, this.end, this.from, this.to]) column.copyWithin(row + 1, row, count);
  }

  /** Copies rows from another table. */
  copy(other: PlacedBuffers, begin: number, end: number): void {
    this.start.set(other.start.subarray(begin, end));
    this.end.set(other.end.subarray(begin, end));
    this.from.set(other.from.subarray(begin, end));
    this.to.set(other.to.subarray(begin, end));
  }
}
