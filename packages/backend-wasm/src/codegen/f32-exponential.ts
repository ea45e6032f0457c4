// exp and functions made of it, in float32: at most 4 units in the last place from the true value, and right at
// infinities.
import { f32Ops } from "./float-ops.ts";
import type { Node, NodeGraph } from "./nodes.ts";

/** Adding this leaves the nearest integer in the low bits of a float. */
const MAGIC = 1.5 * 2 ** 23;
const LN2_HIGH = 0.693359375;
const LN2_LOW = -2.1219444e-4;
/** (exp(r) - 1 - r) / r² for |r| <= ln 2 / 2, such that exp(r) is within 4e-9 of itself: a minimax fit. */
const EXP_TAIL = [4.9999993413e-1, 1.6666520108e-1, 4.1668394211e-2, 8.3687804112e-3, 1.3814467059e-3];
/** Likewise 2 exp(r), within 1.6e-7 of itself. */
const EXP_DOUBLED = [1, 1, 4.999899085e-1, 1.6666522606e-1, 4.1918032924e-2, 8.3692227934e-3].map((c) => 2 * c);
/** One less than what is added to a float's exponent. */
const BIAS = 126;

interface Reduced {
  /** Bits whose low part is n, plus `bias`, where x = n ln 2 + r. */
  readonly bits: Node;
  readonly r: Node;
}

function reduce(g: NodeGraph, x: Node, bias = 0): Reduced {
  const f = f32Ops(g);
  const rounder = MAGIC + bias;
  const bits = f.mulAdd(x, Math.LOG2E, rounder);
  const n = f.sub(bits, rounder);
  return { bits, r: f.mulAdd(n, -LN2_LOW, f.mulAdd(n, -LN2_HIGH, x)) };
}

/** Computes exp(r) - 1 for r that is reduced. */
function grown(g: NodeGraph, r: Node): Node {
  const f = f32Ops(g);
  return f.mulAdd(f.mul(r, r), f.polynomial(r, EXP_TAIL), r);
}

/** Computes 2ⁿ exp(r). */
function scaled(g: NodeGraph, { bits, r }: Reduced): Node {
  const f = f32Ops(g);
  // Scaling in two steps reaches denormals and overflows by itself.
  const n = g.op("i32x4.sub", bits, g.f32x4(MAGIC));
  const half = g.op("i32x4.shr_s", n, g.i32(1));
  return f.mul(f.mul(f.add(grown(g, r), 1), powerOfTwo(g, half)), powerOfTwo(g, g.op("i32x4.sub", n, half)));
}

/** Computes exp(x). */
export function exp(g: NodeGraph, x: Node): Node {
  const f = f32Ops(g);
  return scaled(g, reduce(g, f.atMost(f.atLeast(x, -104), 89)));
}

/** Computes 1 + exp(x), where no denormal matters. */
export function onePlusExp(g: NodeGraph, x: Node): Node {
  const f = f32Ops(g);
  // Half of 2ⁿ is 0 at the lower bound, and infinity at the upper one.
  const { bits, r } = reduce(g, f.atMost(f.atLeast(x, -BIAS * Math.LN2), (BIAS + 3) * Math.LN2), BIAS);
  return f.mulAdd(f.polynomial(r, EXP_DOUBLED), g.op("i32x4.shl", bits, g.i32(23)), 1);
}

/** Computes 1 + tanh(x), as of GELU: 2 / (1 + exp(-2x)). */
export function onePlusTanh(g: NodeGraph, x: Node): Node {
  const f = f32Ops(g);
  return f.div(2, onePlusExp(g, f.mul(x, -2)));
}

function powerOfTwo(g: NodeGraph, n: Node): Node {
  return g.op("i32x4.shl", g.op("i32x4.add", n, g.i32x4(127)), g.i32(23));
}

/** Computes 2 to the power x. */
export function exp2(g: NodeGraph, x: Node): Node {
  const f = f32Ops(g);
  const bounded = f.atMost(f.atLeast(x, -151), 129);
  const bits = f.add(bounded, MAGIC);
  const r = f.mul(f.sub(bounded, f.sub(bits, MAGIC)), Math.LN2);
  return scaled(g, { bits, r });
}

/** Computes exp(x) - 1 for x up to 88.7, without cancellation near 0. */
export function expm1(g: NodeGraph, x: Node): Node {
  const f = f32Ops(g);
  const { bits, r } = reduce(g, f.atMost(f.atLeast(x, -20), 88.73));
  // 2ⁿ may overflow where the result does not, so half of it is used.
  const n = g.op("i32x4.sub", bits, g.i32x4(0x4b400001));
  const half = powerOfTwo(g, n);
  const value = f.mul(f.mulAdd(half, grown(g, r), f.sub(half, 0.5)), 2);
  return g.op("v128.or", value, g.op("v128.and", x, g.i32x4(-(2 ** 31))));
}

/** Computes tanh(x). */
export function tanh(g: NodeGraph, x: Node): Node {
  const f = f32Ops(g);
  const { bits, r } = reduce(g, f.atLeast(f.mul(f.abs(x), -2), -20));
  // Here n is between -29 and 0, and 2ⁿ - 1 is exact as far as it matters.
  const scale = g.op("i32x4.add", g.op("i32x4.shl", bits, g.i32(23)), g.f32x4(1));
  const lessOne = f.mulAdd(scale, grown(g, r), f.sub(scale, 1));
  return f.withSign(f.div(lessOne, f.add(lessOne, 2)), x);
}

/** 1 - exp(-q(t)), for the error function beyond 475/512. Coefficients after N. Juffa. */
const ERF_TAIL = [
  -1.28717512e-1, -6.34846687e-1, -1.06777877e-1, 2.42546219e-2, -3.88396438e-3, 3.83197126e-4, -1.7285347e-5,
];
const ERF_CENTER = [1.28379166e-1, -3.76125336e-1, 1.12819925e-1, -2.67681349e-2, 4.99119423e-3, -5.96761703e-4];

/** Computes the error function. */
export function erf(g: NodeGraph, x: Node): Node {
  const f = f32Ops(g);
  const t = f.atMost(f.abs(x), 4);
  const square = f.mul(x, x);
  const { bits, r } = reduce(g, f.sub(f.mul(f.polynomial(t, ERF_TAIL), t), t));
  const scale = g.op("i32x4.add", g.op("i32x4.shl", bits, g.i32(23)), g.f32x4(1));
  const tail = f.withSign(f.sub(f.sub(1, scale), f.mul(scale, grown(g, r))), x);
  const center = f.mulAdd(f.polynomial(square, ERF_CENTER), x, x);
  return f.choose(f.gt(t, 475 / 512), tail, center);
}

/** Numerator and denominator of erf(x) / x by powers of x², for x up to 4; the coefficients are those of Eigen and XLA. */
const ERF_ABOVE = [
  -1.60960333262415e-2, -2.95459980854025e-3, -7.34990630326855e-4, -5.69250639462346e-5, -2.10102402082508e-6,
  2.77068142495902e-8, -2.72614225801306e-10,
];
const ERF_BELOW = [
  -1.42647390514189e-2, -7.37332916720468e-3, -1.68282697438203e-3, -2.13374055278905e-4, -1.45660718464996e-5,
];

/** Computes 1 + erf(x), as of GELU, in half the operations of `erf`: at most 4e-7 from the true value. */
export function onePlusErf(g: NodeGraph, x: Node): Node {
  const f = f32Ops(g);
  const t = f.atMost(f.atLeast(x, -4), 4);
  const square = f.mul(t, t);
  const value = f.div(f.mul(t, f.polynomial(square, ERF_ABOVE)), f.polynomial(square, ERF_BELOW));
  return f.add(f.atMost(f.atLeast(value, -1), 1), 1);
}
