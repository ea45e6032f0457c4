// Running sums.

/**
 * dst[i] = the sum of src[0] to src[i], of `n` elements that are so many bytes apart: of float32, in double precision, or for
 * `kind` 1 of float64 and 2 of int64.
 */
export function runningSums(kind: i32, src: usize, dst: usize, n: i32, srcStep: i32, dstStep: i32): void {
  if (kind == 2) sums<i64, i64>(0, src, dst, n, srcStep, dstStep);
  // A sum that starts at 0 loses the sign of a zero.
  else if (kind == 1) sums<f64, f64>(-0.0, src, dst, n, srcStep, dstStep);
  else sums<f32, f64>(-0.0, src, dst, n, srcStep, dstStep);
}

@inline
function sums<T, Sum>(sum: Sum, src: usize, dst: usize, n: i32, srcStep: i32, dstStep: i32): void {
  for (; n > 0; n--, src += srcStep, dst += dstStep) {
    sum += <Sum>load<T>(src);
    store<T>(dst, <T>sum);
  }
}
