// Arithmetic of the convolution kernels on four floats.

/** NaN passes; `pmin` and `pmax` are one instruction each, where `min` and `max` are eight. */
@inline
export function clamp(value: v128, lo: v128, hi: v128): v128 {
  return f32x4.pmin(f32x4.pmax(value, lo), hi);
}
