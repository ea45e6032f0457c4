// Bins as lists of what they add up along one dimension: entries of an element's place in bytes, u32, and its weight, f32.

/** The bytes of an entry. */
export const ENTRY: i32 = 8;

/** Appends an entry, and returns the end of the list. */
@inline
export function append(end: usize, place: usize, weight: f32): usize {
  store<u32>(end, <u32>place);
  store<f32>(end, weight, 4);
  return end + ENTRY;
}

/**
 * Writes to `to` the sum over rows and columns of the product of both weights and the element there, divided by `divisor`,
 * for `count` channels that lie side by side.
 */
export function weightedMean(
  to: usize,
  map: usize,
  count: i32,
  rows: usize,
  rowsEnd: usize,
  columns: usize,
  columnsEnd: usize,
  divisor: f32,
): void {
  // Nothing is added up without columns, whatever a row weighs.
  if (columns == columnsEnd) rowsEnd = rows;
  const wide = <usize>(count & ~15) << 2, whole = <usize>(count & ~3) << 2, end = <usize>count << 2;
  const by = f32x4.splat(divisor);
  let c: usize = 0;
  for (; c < wide; c += 64) {
    let a = f32x4.splat(0), b = f32x4.splat(0), d = f32x4.splat(0), e = f32x4.splat(0);
    for (let row = rows; row < rowsEnd; row += ENTRY) {
      const from = map + load<u32>(row) + c, weight = v128.load32_splat(row, 4);
      let p = f32x4.splat(0), q = f32x4.splat(0), r = f32x4.splat(0), s = f32x4.splat(0);
      for (let column = columns; column < columnsEnd; column += ENTRY) {
        const at = from + load<u32>(column), part = v128.load32_splat(column, 4);
        p = f32x4.add(p, f32x4.mul(part, v128.load(at)));
        q = f32x4.add(q, f32x4.mul(part, v128.load(at, 16)));
        r = f32x4.add(r, f32x4.mul(part, v128.load(at, 32)));
        s = f32x4.add(s, f32x4.mul(part, v128.load(at, 48)));
      }
      a = f32x4.add(a, f32x4.mul(weight, p));
      b = f32x4.add(b, f32x4.mul(weight, q));
      d = f32x4.add(d, f32x4.mul(weight, r));
      e = f32x4.add(e, f32x4.mul(weight, s));
    }
    v128.store(to + c, f32x4.div(a, by));
    v128.store(to + c, f32x4.div(b, by), 16);
    v128.store(to + c, f32x4.div(d, by), 32);
    v128.store(to + c, f32x4.div(e, by), 48);
  }
  for (; c < whole; c += 16) {
    let sum = f32x4.splat(0);
    for (let row = rows; row < rowsEnd; row += ENTRY) {
      const from = map + load<u32>(row) + c;
      let part = f32x4.splat(0);
      for (let column = columns; column < columnsEnd; column += ENTRY) {
        part = f32x4.add(part, f32x4.mul(v128.load32_splat(column, 4), v128.load(from + load<u32>(column))));
      }
      sum = f32x4.add(sum, f32x4.mul(v128.load32_splat(row, 4), part));
    }
    v128.store(to + c, f32x4.div(sum, by));
  }
  for (; c < end; c += 4) {
    let sum: f32 = 0;
    for (let row = rows; row < rowsEnd; row += ENTRY) {
      const from = map + load<u32>(row) + c;
      let part: f32 = 0;
      for (let column = columns; column < columnsEnd; column += ENTRY) {
        part += load<f32>(column, 4) * load<f32>(from + load<u32>(column));
      }
      sum += load<f32>(row, 4) * part;
    }
    store<f32>(to + c, sum / divisor);
  }
}
