// Where the extremes of rows are.
import { FLOAT64, INT32 } from "./element-types";

/**
 * dst[row] = index of the first largest element (the first smallest one for `least`), or of the first NaN, as int64, of rows of
 * float64, int32 or int64.
 */
export function argExtremes(least: i32, type: i32, src: usize, dst: usize, rows: i32, n: i32): void {
  if (type == FLOAT64) least ? rowsOf<f64>(true, src, dst, rows, n) : rowsOf<f64>(false, src, dst, rows, n);
  else if (type == INT32) least ? rowsOf<i32>(true, src, dst, rows, n) : rowsOf<i32>(false, src, dst, rows, n);
  else least ? rowsOf<i64>(true, src, dst, rows, n) : rowsOf<i64>(false, src, dst, rows, n);
}

@inline
function rowsOf<T>(least: bool, src: usize, dst: usize, rows: i32, n: i32): void {
  const bytes = <usize>n * sizeof<T>();
  for (; rows > 0; rows--, src += bytes, dst += 8) {
    let best = load<T>(src), at = 0;
    for (let i = 0, p = src; i < n; i++, p += sizeof<T>()) {
      const x = load<T>(p);
      // Of a NaN neither holds.
      if (least ? x >= best : x <= best) continue;
      best = x, at = i;
      if (x != x) break;
    }
    store<i64>(dst, at);
  }
}
