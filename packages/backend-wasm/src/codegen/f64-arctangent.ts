// Angles and lengths in double precision.
import type { FloatOps } from "./float-ops.ts";
import type { Node } from "./nodes.ts";

/** (t - atan(t)) / t³ by powers of t², for t up to 7/16, as in FreeBSD's msun. */
const ATAN_TAIL = [
  0.3333333333333293, -0.19999999999876483, 0.14285714272503466, -0.11111110405462356, 0.09090887133436507,
  -0.0769187620504483, 0.06661073137387531, -0.058335701337905735, 0.049768779946159324, -0.036531572744216916,
  0.016285820115365782,
];
/** The tangent of π/8. */
const MIDDLE = Math.SQRT2 - 1;
/** What π/4 is more than its double; π/2 and π have twice and four times as much. */
const QUARTER_PI_LOW = 3.061616997868383e-17;

/** Computes the angle of the point (x, y), with the signs of zeros and at infinities as in C. */
export function doubleAtan2(f: FloatOps, y: Node, x: Node): Node {
  const { g } = f;
  const [dx, dy] = [f.abs(x), f.abs(y)];
  // In this order a NaN is in one of both.
  const [low, high] = [f.atMost(dy, dx), f.atLeast(dx, dy)];
  // Neither of a sum of these is infinite, and what is lost of small ones is made up for.
  const scale = f.choose(f.gt(high, 2 ** 1000), 2 ** -4, f.choose(f.lt(high, 2 ** -960), 2 ** 64, 1));
  const [a, b] = [f.mul(low, scale), f.mul(high, scale)];
  const isSteep = f.gt(a, f.mul(b, MIDDLE));
  const quotient = f.div(f.choose(isSteep, f.sub(a, b), a), f.choose(isSteep, f.add(a, b), b));
  // Of two zeros or two infinities the quotient is not a number; other equal sides have none.
  const t = f.choose(f.eq(low, high), 0, quotient);
  const square = f.mul(t, t);
  const tail = f.mul(f.mul(square, t), f.polynomial(square, ATAN_TAIL));
  // Equal sides are steep, but for two zeros.
  const isFar = f.choose(f.eq(low, high), f.gt(high, 0), isSteep);
  // The angle is that of t and so many quarters of π, with one sign or the other.
  const one = f.choose(isFar, 1, 0);
  const isUpper = f.lt(dx, dy);
  const upper = f.choose(isUpper, f.sub(2, one), one);
  const isLeft = g.op("i64x2.lt_s", x, g.i64x2(0n));
  const quarters = f.choose(isLeft, f.sub(4, upper), upper);
  const turned = g.op("v128.xor", f.choose(isUpper, -0, 0), f.choose(isLeft, -0, 0));
  const [angle, less] = [g.op("v128.xor", t, turned), g.op("v128.xor", tail, turned)];
  const beside = f.sub(f.mul(quarters, QUARTER_PI_LOW), less);
  // The sum of both, where the first is larger or 0.
  return f.withSign(f.add(f.mul(quarters, Math.PI / 4), f.add(angle, beside)), y);
}

/** Computes the angle whose tangent is x. */
export function doubleAtan(f: FloatOps, x: Node): Node {
  return doubleAtan2(f, x, f.g.f64x2(1));
}

/** Computes a length. An infinite side makes it infinite, also beside NaN. */
export function doubleHypotenuse(f: FloatOps, x: Node, y: Node): Node {
  const { g } = f;
  const [dx, dy] = [f.abs(x), f.abs(y)];
  const high = f.atLeast(dx, dy);
  // Squares of what is as large or as small as this are not numbers, or nothing.
  const [isLarge, isSmall] = [f.gt(high, 2 ** 500), f.lt(high, 2 ** -400)];
  const scale = f.choose(isLarge, 2 ** -600, f.choose(isSmall, 2 ** 600, 1));
  const back = f.choose(isLarge, 2 ** 600, f.choose(isSmall, 2 ** -600, 1));
  const [a, b] = [f.mul(dx, scale), f.mul(dy, scale)];
  const length = f.mul(f.sqrt(f.add(f.mul(a, a), f.mul(b, b))), back);
  const isInfinite = (side: Node): Node => f.eq(side, Number.POSITIVE_INFINITY);
  return f.choose(g.op("v128.or", isInfinite(dx), isInfinite(dy)), Number.POSITIVE_INFINITY, length);
}
