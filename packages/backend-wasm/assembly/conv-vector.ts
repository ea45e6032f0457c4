// Arithmetic of the convolution kernels on four floats.

@inline
export function multiplyAdd(sum: v128, a: v128, b: v128): v128 {
  return f32x4.add(sum, f32x4.mul(a, b));
}

/** NaN passes; `pmin` and `pmax` are one instruction each, where `min` and `max` are eight. */
@inline
export function clamp(value: v128, lo: v128, hi: v128): v128 {
  return f32x4.pmin(f32x4.pmax(value, lo), hi);
}
