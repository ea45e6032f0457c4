/** sum + x * y: one instruction, and one rounding, in the build for processors that have it (relaxed SIMD). */
@inline
export function multiplyAdd(sum: v128, x: v128, y: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(x, y, sum);
  return f32x4.add(sum, f32x4.mul(x, y));
}
