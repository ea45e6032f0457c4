// Sine and cosine in double precision.
import type { FloatOps } from "./float-ops.ts";
import type { Node } from "./nodes.ts";

/** The largest angle whose quadrant times the first part of π/2 is exact. */
export const SINE_LIMIT: number = 2 ** 20;
const MAGIC = 1.5 * 2 ** 52;
/** π/2 in three parts, of which the first two have 33 bits each, and polynomials up to π/4, as in FreeBSD's msun. */
const HALF_PI = [1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21] as const;
const SIN_TAIL = [
  0.00833333333332249, -0.0001984126982985795, 2.7557313707070068e-6, -2.5050760253406863e-8, 1.58969099521155e-10,
];
const FIRST_SIN = -0.16666666666666632;
const COS_TAIL = [
  0.0416666666666666, -0.001388888888887411, 2.480158728947673e-5, -2.7557314351390663e-7, 2.087572321298175e-9,
  -1.1359647557788195e-11,
];

/** Computes the sine of an angle up to the limit, or its cosine as the sine one quadrant ahead. */
export function sine(f: FloatOps, x: Node, quadrantsAhead: 0 | 1): Node {
  const { g } = f;
  const bits = f.add(f.mul(x, 2 / Math.PI), MAGIC);
  const n = f.sub(bits, MAGIC);
  const first = f.sub(x, f.mul(n, HALF_PI[0]));
  const second = f.mul(n, HALF_PI[1]);
  const r = f.sub(first, second);
  // What the difference has lost.
  const lost = f.sub(f.sub(f.sub(first, r), second), f.mul(n, HALF_PI[2]));
  const square = f.mul(r, r);
  const cube = f.mul(square, r);
  const inner = f.sub(f.mul(lost, 0.5), f.mul(cube, f.polynomial(square, SIN_TAIL)));
  const sin = f.sub(r, f.sub(f.sub(f.mul(square, inner), lost), f.mul(cube, FIRST_SIN)));
  const half = f.mul(square, 0.5);
  const rest = f.sub(1, half);
  const tail = f.sub(f.mul(f.mul(square, square), f.polynomial(square, COS_TAIL)), f.mul(r, lost));
  const cos = f.add(rest, f.add(f.sub(f.sub(1, rest), half), tail));
  const quadrant = quadrantsAhead ? g.op("i64x2.add", bits, g.i64x2(1n)) : bits;
  const isOdd = g.op("i64x2.ne", g.op("v128.and", quadrant, g.i64x2(1n)), g.i64x2(0n));
  const sign = g.op("i64x2.shl", g.op("i64x2.shr_u", quadrant, g.i32(1)), g.i32(63));
  return g.op("v128.xor", f.choose(isOdd, cos, sin), sign);
}
