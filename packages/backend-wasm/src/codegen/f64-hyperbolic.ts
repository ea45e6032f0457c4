// Hyperbolic functions and their inverses in double precision, for results of single precision.
import { shortExp, shortExpm1 } from "./f64-exponential.ts";
import { shortLog } from "./f64-logarithm.ts";
import type { FloatOps } from "./float-ops.ts";
import type { Node } from "./nodes.ts";

/** What is less than this is its own inverse hyperbolic sine and tangent, to a 50th of the last place of single precision. */
const TINY = 2 ** -13;
/** Single precision has no exponential of this. */
const LARGE = 200;

export function sinh(f: FloatOps, x: Node): Node {
  const e = shortExpm1(f, f.atMost(f.abs(x), LARGE));
  return f.withSign(f.mul(f.add(e, f.div(e, f.add(e, 1))), 0.5), x);
}

export function cosh(f: FloatOps, x: Node): Node {
  const half = f.mul(shortExp(f, f.atMost(f.abs(x), LARGE)), 0.5);
  return f.add(half, f.div(0.25, half));
}

export function asinh(f: FloatOps, x: Node): Node {
  const size = f.abs(x);
  const value = shortLog(f, f.add(size, f.sqrt(f.mulAdd(size, size, 1))));
  return f.withSign(f.choose(f.lt(size, TINY), size, value), x);
}

export function acosh(f: FloatOps, x: Node): Node {
  const value = shortLog(f, f.add(x, f.sqrt(f.mulAdd(x, x, -1))));
  return f.choose(f.lt(x, 1), Number.NaN, value);
}

export function atanh(f: FloatOps, x: Node): Node {
  const value = f.mul(shortLog(f, f.div(f.add(x, 1), f.sub(1, x))), 0.5);
  return f.choose(f.lt(f.abs(x), TINY), x, value);
}
