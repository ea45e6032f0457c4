// Logarithms in float32.
import { f32Ops } from "./float-ops.ts";
import type { Node, NodeGraph } from "./nodes.ts";

/** (log(1 + m) - m + m²/2) / m³ for 1 + m between √½ and √2. */
const LOG_TAIL = [
  3.3333331174e-1, -2.4999993993e-1, 2.0000714765e-1, -1.6668057665e-1, 1.4249322787e-1, -1.2420140846e-1,
  1.167699874e-1, -1.151461031e-1, 7.0376836292e-2,
];
const ROOT_HALF_BITS = 0x3f3504f3;

interface Split {
  /** Exponent as a float: x = 2^exponent (1 + m). */
  readonly exponent: Node;
  readonly m: Node;
  /** log(1 + m) - m. */
  readonly correction: Node;
}

function split(g: NodeGraph, x: Node): Split {
  const f = f32Ops(g);
  const denormal = f.lt(x, 2 ** -126);
  const normal = f.choose(denormal, f.mul(x, 2 ** 23), x);
  const shifted = g.op("i32x4.sub", normal, g.i32x4(ROOT_HALF_BITS));
  const fraction = g.op("i32x4.add", g.op("v128.and", shifted, g.i32x4(0x7fffff)), g.i32x4(ROOT_HALF_BITS));
  const whole = g.op("f32x4.convert_i32x4_s", g.op("i32x4.shr_s", shifted, g.i32(23)));
  const m = f.sub(fraction, 1);
  const square = f.mul(m, m);
  const tail = f.mul(f.mul(m, square), f.polynomial(m, LOG_TAIL));
  return {
    exponent: f.sub(whole, g.op("v128.and", denormal, g.f32x4(23))),
    m,
    correction: f.mulAdd(square, -0.5, tail),
  };
}

/** Returns the value for positive finite x, and the limits for 0, infinity, negative numbers and NaN. */
function withEdges(g: NodeGraph, x: Node, value: Node): Node {
  const f = f32Ops(g);
  const upper = f.choose(f.lt(x, Number.POSITIVE_INFINITY), value, x);
  const lower = f.choose(f.lt(x, 0), Number.NaN, Number.NEGATIVE_INFINITY);
  return f.choose(g.op("f32x4.le", x, g.f32x4(0)), lower, upper);
}

/** Computes the natural logarithm. */
export function log(g: NodeGraph, x: Node): Node {
  return withEdges(g, x, logOfPositive(g, x));
}

function logOfPositive(g: NodeGraph, x: Node): Node {
  const f = f32Ops(g);
  const { exponent, m, correction } = split(g, x);
  const low = f.mulAdd(exponent, -2.1219444e-4, correction);
  return f.mulAdd(exponent, 0.693359375, f.add(m, low));
}

/** Computes the logarithm to base 2, which is exact for powers of two. */
export function log2(g: NodeGraph, x: Node): Node {
  const f = f32Ops(g);
  const { exponent, m, correction } = split(g, x);
  // log2(e) is 1 + 0.4427: the part with 1 is added last.
  const rest = f.add(f.mul(correction, Math.LOG2E - 1), f.mul(m, Math.LOG2E - 1));
  return withEdges(g, x, f.add(f.add(f.add(rest, correction), m), exponent));
}

/** Computes the logarithm to base 10. */
export function log10(g: NodeGraph, x: Node): Node {
  const f = f32Ops(g);
  const { exponent, m, correction } = split(g, x);
  const low = f.add(f.mul(exponent, Math.log10(2) - 0.30078125), f.mul(correction, Math.LOG10E));
  return withEdges(g, x, f.add(f.add(low, f.mul(m, Math.LOG10E)), f.mul(exponent, 0.30078125)));
}

/** Computes log(1 + x) without loss near 0. */
export function log1p(g: NodeGraph, x: Node): Node {
  const f = f32Ops(g);
  const sum = f.add(x, 1);
  // The amount that the sum lost, relative to it; nothing where the sum is 0 or infinite.
  const lost = f.div(f.sub(x, f.sub(sum, 1)), sum);
  const known = f.lt(f.abs(lost), 1);
  const value = f.add(log(g, sum), g.op("v128.and", lost, known));
  return f.choose(g.op("f32x4.eq", x, g.f32x4(0)), x, value);
}
