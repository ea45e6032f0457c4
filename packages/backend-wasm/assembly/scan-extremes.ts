// Running extremes along a dimension: of [outer, n, inner] to the same.
import { FLOAT32, FLOAT64, INT32 } from "./element-types";

/**
 * values[o, r, i] = the largest (smallest for `least`) of src[o, 0, i] to src[o, r, i], and positions[o, r, i] (int64) where it
 * is along the dimension, of `columns` elements of rows of `row`: all point at the first of them. Of equal elements, and of NaNs,
 * the last one counts.
 */
export function runningExtremes(
  least: i32, type: i32, src: usize, values: usize, positions: usize, outer: i32, n: i32, columns: i32, row: i32,
): void {
  if (type == FLOAT32) either<f32>(least, src, values, positions, outer, n, columns, row);
  else if (type == FLOAT64) either<f64>(least, src, values, positions, outer, n, columns, row);
  else if (type == INT32) either<i32>(least, src, values, positions, outer, n, columns, row);
  else either<i64>(least, src, values, positions, outer, n, columns, row);
}

@inline
function either<T>(
  least: i32, src: usize, values: usize, positions: usize, outer: i32, n: i32, columns: i32, row: i32,
): void {
  if (least) extremes<T>(true, src, values, positions, outer, n, columns, row);
  else extremes<T>(false, src, values, positions, outer, n, columns, row);
}

@inline
function extremes<T>(
  least: bool, src: usize, values: usize, positions: usize, outer: i32, n: i32, columns: i32, row: i32,
): void {
  if (row == 1) {
    rows<T>(least, src, values, positions, outer, n);
    return;
  }
  const bytes = <usize>row * sizeof<T>();
  for (; outer > 0; outer--) {
    for (let r = 0; r < n; r++, src += bytes, values += bytes, positions += <usize>row << 3) {
      const end = src + <usize>columns * sizeof<T>();
      for (let p = src, q = values, at = positions; p < end; p += sizeof<T>(), q += sizeof<T>(), at += 8) {
        let x = load<T>(p), position: i64 = r;
        if (r) {
          // What was found up to the row before.
          const best = load<T>(q - bytes);
          if (x == x && !(least ? x <= best : x >= best)) x = best, position = load<i64>(at - (<usize>row << 3));
        }
        store<T>(q, x);
        store<i64>(at, position);
      }
    }
  }
}

/** The same of rows, whose extremes stay in registers. */
@inline
function rows<T>(least: bool, src: usize, values: usize, positions: usize, outer: i32, n: i32): void {
  for (; outer > 0 && n > 0; outer--) {
    let best = load<T>(src), position: i64 = 0;
    for (let r: i64 = 0; r < n; r++, src += sizeof<T>(), values += sizeof<T>(), positions += 8) {
      const x = load<T>(src);
      const isNext = x != x || (least ? x <= best : x >= best);
      best = select<T>(x, best, isNext);
      position = select<i64>(r, position, isNext);
      store<T>(values, best);
      store<i64>(positions, position);
    }
  }
}
