// Logarithms in double precision.
import { LN2_HIGH, LN2_LOW } from "./f64-exponential.ts";
import type { FloatOps } from "./float-ops.ts";
import type { Node } from "./nodes.ts";

/**
 * (log((1 + s) / (1 - s)) / s - 2) / s² by powers of s², for a quotient between √½ and √2: a minimax fit, within 2^-51.
 */
const TAIL = [
  0.666666666666667, 0.399999999998982, 0.28571428626510875, 0.22222211054622024, 0.18182894545355477,
  0.15331552896669207, 0.14618416871215997,
];
/** The same within 2^-29, for results of single precision. */
const SHORT_TAIL = [0.66666666553, 0.40000122903, 0.2855072019, 0.233328432];
/** 1 / ln 2 in two parts, the first of 21 bits. */
const LOG2E_HIGH = 1.4426950407214463;
const LOG2E_LOW = 1.6751713164886512e-10;
const ONE_BITS = 0x3ff0000000000000n;
const ROOT_HALF_BITS = 0x3fe6a09e667f3bcdn;
const FRACTION = (1n << 52n) - 1n;

interface Split {
  /** The exponent as a float: x = 2^exponent (1 + m). */
  readonly exponent: Node;
  readonly m: Node;
  /** m / (m + 2), for which 1 + m = (1 + s) / (1 - s). */
  readonly s: Node;
}

/** Splits a normal number. */
function split(f: FloatOps, x: Node): Split {
  const shifted = f.g.op("i64x2.add", x, f.g.i64x2(ONE_BITS - ROOT_HALF_BITS));
  // The biased exponent becomes the low bits of 2^52, and is what exceeds it.
  const biased = f.g.op("v128.or", f.g.op("i64x2.shr_u", shifted, f.g.i32(52)), f.g.f64x2(2 ** 52));
  const fraction = f.g.op("i64x2.add", f.g.op("v128.and", shifted, f.g.i64x2(FRACTION)), f.g.i64x2(ROOT_HALF_BITS));
  const m = f.sub(fraction, 1);
  return { exponent: f.sub(biased, 2 ** 52 + 1023), m, s: f.div(m, f.add(m, 2)) };
}

/** Returns the value for positive finite x, and the limits for 0, infinity, negative numbers and NaN. */
function withEdges(f: FloatOps, x: Node, value: Node): Node {
  const upper = f.choose(f.lt(x, Number.POSITIVE_INFINITY), value, x);
  const lower = f.choose(f.lt(x, 0), Number.NaN, Number.NEGATIVE_INFINITY);
  return f.choose(f.g.op("f64x2.le", x, f.g.f64x2(0)), lower, upper);
}

/** Computes the natural logarithm: at most 1 unit in the last place from the true value. */
export function log(f: FloatOps, x: Node): Node {
  const denormal = f.lt(x, 2 ** -1022);
  const { exponent: scaled, m, s } = split(f, f.choose(denormal, f.mul(x, 2 ** 54), x));
  const exponent = f.sub(scaled, f.choose(denormal, 54, 0));
  // In this order, which is that of msun, what is lost is less than the last place.
  const square = f.mul(s, s);
  const half = f.mul(f.mul(m, m), 0.5);
  const tail = f.mulAdd(f.mul(square, f.polynomial(square, TAIL)), s, f.mul(exponent, LN2_LOW));
  const rest = f.sub(f.sub(half, f.mulAdd(half, s, tail)), m);
  return withEdges(f, x, f.sub(f.mul(exponent, LN2_HIGH), rest));
}

/** Computes the logarithm to base 2, whole ones exactly: at most 1.5 units in the last place from the true value. */
export function log2(f: FloatOps, x: Node): Node {
  const denormal = f.lt(x, 2 ** -1022);
  const { exponent: scaled, m, s } = split(f, f.choose(denormal, f.mul(x, 2 ** 54), x));
  const exponent = f.sub(scaled, f.choose(denormal, 54, 0));
  const square = f.mul(s, s);
  const half = f.mul(f.mul(m, m), 0.5);
  const tail = f.mul(f.add(half, f.mul(square, f.polynomial(square, TAIL))), s);
  // The upper half of the bits of m - half, whose product with few bits is exact, and what it lacks.
  const upper = f.g.op("v128.and", f.sub(m, half), f.g.i64x2(-1n << 32n));
  const lower = f.add(f.sub(f.sub(m, upper), half), tail);
  const least = f.mulAdd(f.add(lower, upper), LOG2E_LOW, f.mul(lower, LOG2E_HIGH));
  // The sum of a whole number and a fraction, with what the sum loses.
  const fraction = f.mul(upper, LOG2E_HIGH);
  const sum = f.add(exponent, fraction);
  return withEdges(f, x, f.add(sum, f.add(f.add(f.sub(exponent, sum), fraction), least)));
}

/** Computes log(1 + x) without loss near 0: at most 1.2 units in the last place from the true value. */
export function log1p(f: FloatOps, x: Node): Node {
  const sum = f.add(x, 1);
  // The amount that the sum lost, relative to it; nothing where the sum is 0 or infinite.
  const lost = f.div(f.sub(x, f.sub(sum, 1)), sum);
  const value = f.add(log(f, sum), f.choose(f.lt(f.abs(lost), 1), lost, 0));
  return f.choose(f.eq(x, 0), x, value);
}

/** Computes the natural logarithm within 2^-35 of itself, except for denormal numbers. */
export function shortLog(f: FloatOps, x: Node): Node {
  const { exponent, s } = split(f, x);
  const square = f.mul(s, s);
  const ofFraction = f.mul(s, f.mulAdd(square, f.polynomial(square, SHORT_TAIL), 2));
  return withEdges(f, x, f.mulAdd(exponent, Math.LN2, ofFraction));
}
