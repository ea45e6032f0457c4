// The error function, its complement and its inverse in double precision.
import { expOfSum, shortExp } from "./f64-exponential.ts";
import { shortLog } from "./f64-logarithm.ts";
import type { FloatOps } from "./float-ops.ts";
import type { Node } from "./nodes.ts";

/** erf(x) / x - 1 for |x| up to ½, by powers of x²: a minimax fit, within 2^-57. */
const CENTER = [
  0.12837916709551256, -0.37612638903183476, 0.11283791670925397, -0.026866170632896695, 0.005223977373076093,
  -0.0008548297751256332, 0.00012053334675941424, -0.000014845830011504576, 0.0000014725591012443388,
];
/** erfc(x) exp(x²) (1 + 2x) from ½ to 27.3, by powers of (x - 4) / (x + 4): a minimax fit, within 2^-55 of itself. */
const TAIL = [
  1.2329951186255526, -0.13962111684056172, 0.015379652102613607, 0.068097054254593, -0.10103906603591556,
  0.09373283500209971, -0.06633036582173446, 0.03716751547260383, -0.016197733939681574, 0.005031970596958955,
  -0.0007577741320753548, -0.00019926025848569464, 0.00015062536700083054, -0.00002438628310422875,
  -0.000011232174990665677, 0.0000056798585753988515, 3.1117855395203205e-7, -7.824916600640562e-7,
  5.700575597478528e-8, 7.441001285614638e-8, -8.561311776361765e-9,
];
/** The same from 0 to 10.1, by powers of (x - 3) / (x + 3), within 2^-29: for results of single precision. */
const SHORT_TAIL = [
  1.25300805911707, -0.13562113933687, -0.04756239937495, 0.12964641513326, -0.1192709746399, 0.06829576502017,
  -0.02379753722601, 0.00256737554013, 0.00200182483778, -0.00077756786346, -0.0002681223764,
];
/**
 * erfinv(x) / x where w = -log(1 - x²) is up to 5, by powers of w - 2.5, and beyond by powers of √w - 3: the variables are
 * those of M. Giles, the coefficients minimax fits within 2^-28 and 2^-26.
 */
const INVERSE_CENTER = [
  1.50140935351371, 0.24664028763206, -0.00417733941339, -0.001252744656656, 0.000218282639752, -4.9619139936e-6,
  -3.4346146292e-6, 4.658925161e-7, 1.80376094e-8, -8.7728502e-9, 3.355206e-10,
];
const INVERSE_TAIL = [
  2.8329768088624, 1.00167548952141, 0.00944502957562, -0.00764717997938, 0.0056909752736, -0.0035462087155,
  0.00145653655624, -0.00015532580358, -0.00023509114004, 0.00017266174508, -0.00006098322988, 0.00001243234359,
  -1.39665527e-6, 6.70119532e-8,
];
/** All but the lower half of a fraction. */
const UPPER = -1n << 27n;

/** Computes erf(x) for |x| up to ½. */
function center(f: FloatOps, x: Node): Node {
  return f.mulAdd(f.polynomial(f.mul(x, x), CENTER), x, x);
}

/** Computes exp(-x²), with the square in two parts, of which the first is exact. */
function bell(f: FloatOps, x: Node): Node {
  const upper = f.g.op("v128.and", x, f.g.i64x2(UPPER));
  return expOfSum(f, f.mul(f.mul(upper, upper), -1), f.mul(f.sub(upper, x), f.add(upper, x)));
}

/** Computes erfc(x) for x from ½ on. */
function tail(f: FloatOps, x: Node): Node {
  const t = f.div(f.sub(x, 4), f.add(x, 4));
  return f.mul(f.div(f.polynomial(t, TAIL), f.mulAdd(x, 2, 1)), bell(f, x));
}

/** Computes erf(x): at most 2.1 units in the last place from the true value. */
export function erf(f: FloatOps, x: Node): Node {
  const size = f.abs(x);
  const far = f.withSign(f.sub(1, tail(f, f.atMost(size, 28))), x);
  return f.choose(f.lt(size, 0.5), center(f, x), far);
}

/** Computes 1 - erf(x): at most 3.1 units in the last place from the true value. */
export function erfc(f: FloatOps, x: Node): Node {
  const size = f.abs(x);
  const far = tail(f, f.atMost(size, 28));
  const value = f.choose(f.lt(x, 0), f.sub(2, far), far);
  return f.choose(f.lt(size, 0.5), f.sub(1, center(f, x)), value);
}

/** Computes 1 - erf(x) for single precision. */
export function shortErfc(f: FloatOps, x: Node): Node {
  const size = f.atMost(f.abs(x), 11);
  const t = f.div(f.sub(size, 3), f.add(size, 3));
  const square = f.mul(size, size);
  const value = f.div(f.mul(f.polynomial(t, SHORT_TAIL), shortExp(f, f.mul(square, -1))), f.mulAdd(size, 2, 1));
  return f.choose(f.lt(x, 0), f.sub(2, value), value);
}

/** Computes the number whose error function is x, for single precision. */
export function shortErfinv(f: FloatOps, x: Node): Node {
  const w = f.mul(shortLog(f, f.mul(f.sub(1, x), f.add(x, 1))), -1);
  const near = f.polynomial(f.sub(w, 2.5), INVERSE_CENTER);
  const far = f.polynomial(f.sub(f.sqrt(w), 3), INVERSE_TAIL);
  const value = f.mul(x, f.choose(f.lt(w, 5), near, far));
  return f.choose(f.eq(f.abs(x), 1), f.mul(x, Number.POSITIVE_INFINITY), value);
}

/** Computes the number whose error function is x: at most 2.5 units in the last place from the true value. */
export function erfinv(f: FloatOps, x: Node): Node {
  const size = f.abs(x);
  const known = shortErfinv(f, size);
  // A step of Halley's. Towards 1 the difference of the complements is used, which does not cancel.
  const error = f.choose(f.lt(known, 0.5), f.sub(center(f, known), size), f.sub(f.sub(1, size), tail(f, known)));
  const newton = f.div(error, f.mul(bell(f, known), 2 / Math.sqrt(Math.PI)));
  const value = f.sub(known, f.div(newton, f.mulAdd(newton, known, 1)));
  return f.withSign(f.choose(f.lt(size, 1), value, known), x);
}
