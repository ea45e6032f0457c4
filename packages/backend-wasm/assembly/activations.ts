// Activations of four floats, within a few units in the last place of the exact value.
import { expNegative } from "./math";
import { multiplyAdd } from "./multiply-add";

/** 1 / (1 + e^-x) */
@inline
export function sigmoid(x: v128): v128 {
  const e = expNegative(f32x4.neg(f32x4.abs(x)));
  const one = f32x4.splat(1);
  // Of a negative number it is e^x / (1 + e^x), which is accurate however small it is.
  return f32x4.div(v128.bitselect(e, one, f32x4.lt(x, f32x4.splat(0))), f32x4.add(one, e));
}

/** The polynomial of small numbers is that of Cephes (S. Moshier); beyond it is (1 - e^-2x) / (1 + e^-2x). */
@inline
export function tanh(x: v128): v128 {
  const size = f32x4.abs(x);
  const one = f32x4.splat(1);
  const e = expNegative(f32x4.mul(size, f32x4.splat(-2)));
  const large = v128.bitselect(x, f32x4.div(f32x4.sub(one, e), f32x4.add(one, e)), f32x4.splat(-0));
  const z = f32x4.mul(x, x);
  let p = multiplyAdd(f32x4.splat(2.06390887954e-2), z, f32x4.splat(-5.70498872745e-3));
  p = multiplyAdd(f32x4.splat(-5.37397155531e-2), z, p);
  p = multiplyAdd(f32x4.splat(1.33314422036e-1), z, p);
  p = multiplyAdd(f32x4.splat(-3.33332819422e-1), z, p);
  const small = multiplyAdd(x, f32x4.mul(x, z), p);
  return v128.bitselect(small, large, f32x4.lt(size, f32x4.splat(0.625)));
}
