// Running sums and products along a dimension: of [outer, n, inner] to the same.
import { FLOAT32, FLOAT64 } from "./element-types";

/**
 * dst[o, r, i] = the sum (or `product`) of src[o, 0, i] to src[o, r, i], of `columns` elements of rows of `row`: `src` and `dst`
 * point at the first of them. Of float32 it runs in double precision where it is `wide`; others are float64 and int64. `state`
 * has room for `columns` results of 8 bytes.
 */
export function scan(
  product: i32, type: i32, wide: i32, src: usize, dst: usize, outer: i32, n: i32, columns: i32, row: i32, state: usize,
): void {
  if (type == FLOAT32) {
    if (wide) either<f32, f64>(product, src, dst, outer, n, columns, row, state);
    else either<f32, f32>(product, src, dst, outer, n, columns, row, state);
  } else if (type == FLOAT64) either<f64, f64>(product, src, dst, outer, n, columns, row, state);
  else either<i64, i64>(product, src, dst, outer, n, columns, row, state);
}

@inline
function either<T, S>(
  product: i32, src: usize, dst: usize, outer: i32, n: i32, columns: i32, row: i32, state: usize,
): void {
  if (product) run<T, S>(true, src, dst, outer, n, columns, row, state);
  else run<T, S>(false, src, dst, outer, n, columns, row, state);
}

/** Elements of type T, whose sums and products run in type S. */
@inline
function run<T, S>(
  product: bool, src: usize, dst: usize, outer: i32, n: i32, columns: i32, row: i32, state: usize,
): void {
  const bytes = <usize>row * sizeof<T>();
  for (; outer > 0; outer--) {
    if (row == 1) {
      let total = start<S>(product);
      for (let r = 0; r < n; r++, src += sizeof<T>(), dst += sizeof<T>()) {
        total = merge<S>(product, total, <S>load<T>(src));
        store<T>(dst, <T>total);
      }
      continue;
    }
    const end = state + <usize>columns * sizeof<S>();
    for (let at = state; at < end; at += sizeof<S>()) store<S>(at, start<S>(product));
    for (let r = 0; r < n; r++, src += bytes, dst += bytes) {
      for (let p = src, q = dst, at = state; at < end; p += sizeof<T>(), q += sizeof<T>(), at += sizeof<S>()) {
        const total = merge<S>(product, load<S>(at), <S>load<T>(p));
        store<S>(at, total);
        store<T>(q, <T>total);
      }
    }
  }
}

/** A sum that starts at 0 loses the sign of a zero. */
@inline
function start<S>(product: bool): S {
  if (product) return 1;
  return isFloat<S>() ? <S>-0.0 : 0;
}

@inline
function merge<S>(product: bool, x: S, y: S): S {
  return product ? x * y : x + y;
}

/** The products of complex elements, whose parts are float32 or float64, in double precision; see `scan`. */
export function complexProducts(
  type: i32, src: usize, dst: usize, outer: i32, n: i32, columns: i32, row: i32,
): void {
  if (type == FLOAT32) complex<f32>(src, dst, outer, n, columns, row);
  else complex<f64>(src, dst, outer, n, columns, row);
}

@inline
function complex<T>(src: usize, dst: usize, outer: i32, n: i32, columns: i32, row: i32): void {
  const bytes = (<usize>row * sizeof<T>()) << 1, all = bytes * <usize>n;
  for (; outer > 0; outer--, src += all, dst += all) {
    for (let i = 0; i < columns; i++) {
      let p = src + 2 * <usize>i * sizeof<T>(), q = dst + 2 * <usize>i * sizeof<T>();
      let re: f64 = 0, im: f64 = 0;
      for (let r = 0; r < n; r++, p += bytes, q += bytes) {
        const x = <f64>load<T>(p), y = <f64>load<T>(p + sizeof<T>());
        // No product of 1 and the first: parts that are infinite would make NaN of it.
        const product = r ? re * x - im * y : x;
        im = r ? re * y + im * x : y;
        re = product;
        store<T>(q, <T>re);
        store<T>(q + sizeof<T>(), <T>im);
      }
    }
  }
}
