import { multiplyAdd } from "./multiply-add";

/**
 * Products of matrices and vectors: out[b * outNext + r] is the sum of a[b * aNext + r * aRow + k] * x[b * xNext + k] over k < `k`, for each
 * b < `batch` and r < `rows`. Strides in elements.
 */
export function dotRows(
  batch: i32, rows: i32, k: i32, a: usize, aNext: i32, aRow: i32, x: usize, xNext: i32, out: usize, outNext: i32,
): void {
  for (; batch > 0; batch--, a += aNext << 2, x += xNext << 2, out += outNext << 2) {
    for (let r = 0, p = a; r < rows; r++, p += aRow << 2) store<f32>(out + (r << 2), dot(p, x, k));
  }
}

@inline
function dot(p: usize, q: usize, k: i32): f32 {
  let sum: f32 = 0;
  if (k >= 4) {
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
    for (; k >= 16; k -= 16, p += 64, q += 64) {
      s0 = multiplyAdd(s0, v128.load(p), v128.load(q));
      s1 = multiplyAdd(s1, v128.load(p, 16), v128.load(q, 16));
      s2 = multiplyAdd(s2, v128.load(p, 32), v128.load(q, 32));
      s3 = multiplyAdd(s3, v128.load(p, 48), v128.load(q, 48));
    }
    for (; k >= 4; k -= 4, p += 16, q += 16) s0 = multiplyAdd(s0, v128.load(p), v128.load(q));
    s0 = f32x4.add(f32x4.add(s0, s1), f32x4.add(s2, s3));
    s0 = f32x4.add(s0, v128.shuffle<u32>(s0, s0, 2, 3, 0, 1));
    sum = f32x4.extract_lane(s0, 0) + f32x4.extract_lane(s0, 1);
  }
  for (; k > 0; k--, p += 4, q += 4) sum += load<f32>(p) * load<f32>(q);
  return sum;
}
