// Trigonometric functions in double precision, for results of single precision.
import type { FloatOps } from "./float-ops.ts";
import type { Node } from "./nodes.ts";

/** (atan(q) - q) / q³ by powers of q², for q up to 1: a minimax fit, such that atan(q) is within 2^-31 of itself. */
const ATAN_TAIL = [
  -0.333333268998, 0.1999967113165, -0.14279833159914, 0.11058224358602, -0.08811093832965, 0.06741602631454,
  -0.04469001803714, 0.02253993114248, -0.0073179863038, 0.00111379462042,
];
/** (asin(s) - s) / s³ by powers of s², for s up to ½: a minimax fit, such that asin(s) is within 2^-31 of itself. */
const ASIN_TAIL = [0.166666599638, 0.0750050603232, 0.0445165557473, 0.0318114341443, 0.0144231744604, 0.037539922642];
/** (tan(r) - r) / r³ by powers of r², for r up to π/4: a minimax fit, such that tan(r) is within 2^-29 of itself. */
const TAN_TAIL = [
  0.33333349892477, 0.13332658428289, 0.05406049204699, 0.02127911956183, 0.010844004274, 0.00007885967257,
  0.00438168086645,
];
const MAGIC = 1.5 * 2 ** 52;
/** π/2 in two parts, the first with so few bits that its product with a quadrant's number is exact. */
const HALF_PI_HIGH = 1.570796325802803;
const HALF_PI_LOW = 9.920935796805404e-10;

/** Computes the angle of the point (x, y), with the signs of zeros and at infinities as in C. */
export function atan2(f: FloatOps, y: Node, x: Node): Node {
  const [dx, dy] = [f.abs(x), f.abs(y)];
  // In this order a NaN is in one of both.
  const [low, high] = [f.atMost(dy, dx), f.atLeast(dx, dy)];
  // Of two zeros or two infinities the quotient is not a number.
  const equal = f.choose(f.gt(high, 0), 1, 0);
  const q = f.choose(f.eq(low, high), equal, f.div(low, high));
  const square = f.mul(q, q);
  const flat = f.mulAdd(f.mul(q, square), f.polynomial(square, ATAN_TAIL), q);
  const steep = f.choose(f.lt(dx, dy), f.sub(Math.PI / 2, flat), flat);
  const isLeft = f.g.op("i64x2.lt_s", x, f.g.i64x2(0n));
  return f.withSign(f.choose(isLeft, f.sub(Math.PI, steep), steep), y);
}

/** Computes the angle whose tangent is x. */
export function atan(f: FloatOps, x: Node): Node {
  return atan2(f, x, f.g.f64x2(1));
}

/** Computes the angle whose sine is x: beyond ½ by that of half of its complement. */
export function asin(f: FloatOps, x: Node): Node {
  const size = f.abs(x);
  const isSmall = f.lt(size, 0.5);
  const square = f.choose(isSmall, f.mul(x, x), f.mul(f.sub(1, size), 0.5));
  const sine = f.choose(isSmall, size, f.sqrt(square));
  const angle = f.mulAdd(f.mul(sine, square), f.polynomial(square, ASIN_TAIL), sine);
  return f.withSign(f.choose(isSmall, angle, f.mulAdd(angle, -2, Math.PI / 2)), x);
}

/** Computes the angle whose cosine is x. */
export function acos(f: FloatOps, x: Node): Node {
  return f.sub(Math.PI / 2, asin(f, x));
}

/** The largest angle of which `tan` is right. */
export const TAN_LIMIT: number = 2 ** 20;

/** Computes the tangent. */
export function tan(f: FloatOps, x: Node): Node {
  const bits = f.mulAdd(x, 2 / Math.PI, MAGIC);
  const n = f.sub(bits, MAGIC);
  const r = f.mulAdd(n, -HALF_PI_LOW, f.mulAdd(n, -HALF_PI_HIGH, x));
  const square = f.mul(r, r);
  const tangent = f.mulAdd(f.mul(square, r), f.polynomial(square, TAN_TAIL), r);
  const isOdd = f.g.op("i64x2.ne", f.g.op("v128.and", bits, f.g.i64x2(1n)), f.g.i64x2(0n));
  return f.choose(isOdd, f.div(-1, tangent), tangent);
}
