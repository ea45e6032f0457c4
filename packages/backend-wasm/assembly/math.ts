// Elementary functions of four floats, within 2 units in the last place of the exact value. The polynomial of `log` is
// that of Cephes (S. Moshier), that of the exponential a minimax fit of degree 6.
import { multiplyAdd } from "./multiply-add";

@inline
const LOG2_E: f32 = 1.44269504;
@inline
const LN2_HIGH: f32 = 0.693359375;
@inline
const LN2_LOW: f32 = -2.12194440e-4;
/** Adding it to a small float leaves the nearest integer, with the bias of a float's exponent, in the low bits of the sum. */
@inline
const EXPONENT_ROUNDER: f32 = 12582912 + 127;

@inline
function mad(x: v128, y: v128, z: f32): v128 {
  return multiplyAdd(f32x4.splat(z), x, y);
}

/** e^(x - n ln 2) for the integer n nearest to x / ln 2. */
@inline
function reducedExp(x: v128, n: v128): v128 {
  const r = multiplyAdd(multiplyAdd(x, n, f32x4.splat(-LN2_HIGH)), n, f32x4.splat(-LN2_LOW));
  let p = mad(f32x4.splat(1.3811661629e-3), r, 8.3701349795e-3);
  p = mad(p, r, 4.1668526828e-2);
  p = mad(p, r, 1.6666509211e-1);
  p = mad(p, r, 4.9999994040e-1);
  return mad(mad(p, r, 1), r, 1);
}

/** e^x for x <= 0 (or NaN); what would be denormal is zero. */
@inline
export function expNegative(x: v128): v128 {
  // At the bound the exponent of the power is 0: the power is zero.
  x = f32x4.pmax(x, f32x4.splat(-88));
  const rounded = mad(x, f32x4.splat(LOG2_E), EXPONENT_ROUNDER);
  const y = reducedExp(x, f32x4.sub(rounded, f32x4.splat(EXPONENT_ROUNDER)));
  return f32x4.mul(y, i32x4.shl(rounded, 23));
}

/** The natural logarithm; -infinity of 0, NaN of a negative number. */
@inline
export function log(x: v128): v128 {
  const small = f32x4.lt(x, f32x4.splat(1.17549435e-38));
  const normal = v128.bitselect(f32x4.mul(x, f32x4.splat(8388608)), x, small);
  // normal = m * 2^e with m in [sqrt(1/2), sqrt(2)).
  const offset = i32x4.sub(normal, i32x4.splat(0x3f3504f3));
  const exponent = i32x4.sub(i32x4.shr_s(offset, 23), v128.and(small, i32x4.splat(23)));
  const m = i32x4.sub(normal, v128.and(offset, i32x4.splat(0xff800000)));
  const e = f32x4.convert_i32x4_s(exponent);
  const r = f32x4.sub(m, f32x4.splat(1));
  const z = f32x4.mul(r, r);
  let p = mad(f32x4.splat(7.0376836292e-2), r, -1.1514610310e-1);
  p = mad(p, r, 1.1676998740e-1);
  p = mad(p, r, -1.2420140846e-1);
  p = mad(p, r, 1.4249322787e-1);
  p = mad(p, r, -1.6668057665e-1);
  p = mad(p, r, 2.0000714765e-1);
  p = mad(p, r, -2.4999993993e-1);
  p = mad(p, r, 3.3333331174e-1);
  let y = f32x4.add(f32x4.mul(f32x4.mul(p, r), z), f32x4.mul(e, f32x4.splat(LN2_LOW)));
  y = f32x4.add(f32x4.sub(y, f32x4.mul(z, f32x4.splat(0.5))), r);
  y = f32x4.add(y, f32x4.mul(e, f32x4.splat(LN2_HIGH)));
  y = v128.bitselect(f32x4.splat(-Infinity), y, f32x4.eq(x, f32x4.splat(0)));
  y = v128.bitselect(x, y, f32x4.eq(x, f32x4.splat(Infinity)));
  return v128.or(y, v128.or(f32x4.lt(x, f32x4.splat(0)), f32x4.ne(x, x)));
}
