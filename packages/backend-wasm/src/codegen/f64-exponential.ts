// exp and functions made of it, in double precision.
import type { FloatOps } from "./float-ops.ts";
import type { Node } from "./nodes.ts";

/** Adding this leaves the nearest integer, and the bias of exponents, in the low bits of a double. */
const MAGIC = 1.5 * 2 ** 52 + 1023;
/** ln 2 in two parts, the first with so few bits that its product with an exponent is exact, as in FreeBSD's msun. */
export const LN2_HIGH = 0.6931471803691238;
export const LN2_LOW = 1.9082149292705877e-10;
/** (exp(r) - 1 - r) / r² for |r| <= ln 2 / 2, within 2^-59: a minimax fit. */
const EXP_TAIL = [
  0.5, 0.1666666666666667, 0.041666666666666685, 0.008333333333326112, 0.0013888888888874352, 0.00019841269874904636,
  2.480158734744942e-5, 2.755725529422524e-6, 2.755725280625021e-7, 2.5105260922590062e-8, 2.0921625276615325e-9,
];
/** The same within 2^-29, for results of single precision. */
const SHORT_TAIL = [0.50000000135, 0.1666666675667, 0.04166646454, 0.00833328593, 0.00139336909, 0.00019907638];

interface Reduced {
  /** n, where x = n ln 2 + r. */
  readonly n: Node;
  /** exp(r) - 1. */
  readonly grown: Node;
}

/** `beside` is what x lacks, far less than its last place of single precision. */
function reduce(f: FloatOps, x: Node, beside?: Node): Reduced {
  const n = f.sub(f.mulAdd(x, Math.LOG2E, MAGIC), MAGIC);
  const rest = f.mulAdd(n, -LN2_LOW, f.mulAdd(n, -LN2_HIGH, x));
  const r = beside === undefined ? rest : f.add(rest, beside);
  return { n, grown: f.mulAdd(f.mul(r, r), f.polynomial(r, EXP_TAIL), r) };
}

/** Computes 2ⁿ for a whole n that is the exponent of a normal number, or one more or less. */
function powerOfTwo(f: FloatOps, n: Node): Node {
  return f.g.op("i64x2.shl", f.add(n, MAGIC), f.g.i32(52));
}

/** Computes exp(x): at most 1 unit in the last place from the true value. */
export function exp(f: FloatOps, x: Node): Node {
  return expOfSum(f, x);
}

/** Computes exp(x + beside). */
export function expOfSum(f: FloatOps, x: Node, beside?: Node): Node {
  const { n, grown } = reduce(f, f.atMost(f.atLeast(x, -746), 710), beside);
  return scaled(f, n, grown);
}

/** Computes 2ⁿ (1 + grown). */
function scaled(f: FloatOps, n: Node, grown: Node): Node {
  // Scaling in two steps reaches denormals and overflows by itself.
  const half = f.sub(f.mulAdd(n, 0.5, MAGIC), MAGIC);
  return f.mul(f.mul(f.add(grown, 1), powerOfTwo(f, half)), powerOfTwo(f, f.sub(n, half)));
}

/** Computes 2 to the power of x: at most 1 unit in the last place from the true value. */
export function exp2(f: FloatOps, x: Node): Node {
  const limited = f.atMost(f.atLeast(x, -1076), 1024);
  const n = f.sub(f.add(limited, MAGIC), MAGIC);
  const rest = f.sub(limited, n);
  const r = f.mulAdd(rest, LN2_HIGH, f.mul(rest, LN2_LOW));
  return scaled(f, n, f.mulAdd(f.mul(r, r), f.polynomial(r, EXP_TAIL), r));
}

/** A quarter of exp(x), and of exp(x) - 1; twice of either is infinite where sinh(x) is. */
function quarterExp(f: FloatOps, x: Node): readonly [grown: Node, less: Node] {
  const { n, grown } = reduce(f, f.atMost(x, 710.5));
  const quarter = powerOfTwo(f, f.sub(n, 2));
  return [f.mulAdd(quarter, grown, quarter), f.mulAdd(quarter, grown, f.sub(quarter, 0.25))];
}

/** Computes sinh(x): at most 2.5 units in the last place from the true value. */
export function doubleSinh(f: FloatOps, x: Node): Node {
  const [, less] = quarterExp(f, f.abs(x));
  return f.withSign(f.mul(f.add(less, f.div(less, f.mulAdd(less, 4, 1))), 2), x);
}

/** Computes cosh(x): at most 2 units in the last place from the true value. */
export function doubleCosh(f: FloatOps, x: Node): Node {
  const [quarter] = quarterExp(f, f.abs(x));
  return f.mul(f.add(quarter, f.div(1 / 16, quarter)), 2);
}

/** Computes exp(x) - 1, without cancellation near 0: at most 1.9 units in the last place from the true value. */
export function expm1(f: FloatOps, x: Node): Node {
  const { n, grown } = reduce(f, f.atMost(f.atLeast(x, -40), 710));
  // 2ⁿ may overflow where the result does not, so half of it is used.
  const half = powerOfTwo(f, f.sub(n, 1));
  const value = f.mul(f.mulAdd(half, grown, f.sub(half, 0.5)), 2);
  return f.withSign(value, x);
}

/**
 * Computes tanh(x): (1 - t) / (1 + t), where t is exp(-2|x|). Where t is small it is taken from 1 last, which loses least. At
 * most 2.5 units in the last place from the true value.
 */
export function tanh(f: FloatOps, x: Node): Node {
  const { n, grown } = reduce(f, f.atLeast(f.mul(f.abs(x), -2), -40));
  const scale = powerOfTwo(f, n);
  const lessOne = f.mulAdd(scale, grown, f.sub(scale, 1));
  const isSmall = f.lt(lessOne, -0.75);
  const doubled = f.mul(f.mulAdd(scale, grown, scale), 2);
  const quotient = f.div(f.choose(isSmall, doubled, lessOne), f.add(lessOne, 2));
  return f.withSign(f.choose(isSmall, f.sub(1, quotient), quotient), x);
}

/** Factors of exp(x) for |x| up to 700: 2ⁿ, and what it is multiplied by less one. */
function shortFactors(f: FloatOps, x: Node): readonly [scale: Node, grown: Node] {
  const bits = f.mulAdd(x, Math.LOG2E, MAGIC);
  const r = f.mulAdd(f.sub(bits, MAGIC), -Math.LN2, x);
  return [f.g.op("i64x2.shl", bits, f.g.i32(52)), f.mulAdd(f.mul(r, r), f.polynomial(r, SHORT_TAIL), r)];
}

/** Computes exp(x) for |x| up to 700, within 2^-32 of itself. */
export function shortExp(f: FloatOps, x: Node): Node {
  const [scale, grown] = shortFactors(f, x);
  return f.mulAdd(scale, grown, scale);
}

/** Computes exp(x) - 1 for |x| up to 700, within 2^-30 of itself. */
export function shortExpm1(f: FloatOps, x: Node): Node {
  const [scale, grown] = shortFactors(f, x);
  return f.mulAdd(scale, grown, f.sub(scale, 1));
}
