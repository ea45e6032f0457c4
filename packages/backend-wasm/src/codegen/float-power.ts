import { shortExp } from "./f64-exponential.ts";
import { shortLog } from "./f64-logarithm.ts";
import type { FloatOps, VectorOps } from "./float-ops.ts";
import type { Node } from "./nodes.ts";

/** Computes C's pow in single precision, but for what `withUnits` adds: within 2^-30 of itself before it is rounded. */
function anyPower({ g, single: f, double: d, inDoubles }: VectorOps, x: Node, y: Node): Node {
  const size = inDoubles([x, y], (base, exponent) => {
    const product = d.mul(exponent, shortLog(d, d.abs(base)));
    return shortExp(d, d.atMost(d.atLeast(product, -200), 200));
  });
  const isWhole = (z: Node): Node => f.eq(g.op("f32x4.trunc", z), z);
  // Of an infinite exponent the half is whole too.
  const isOdd = g.op("v128.andnot", isWhole(y), isWhole(f.mul(y, 0.5)));
  const signed = g.op("v128.or", size, g.op("v128.and", g.op("v128.and", x, g.f32x4(-0)), isOdd));
  const isNegative = g.op("v128.and", f.lt(x, 0), f.gt(x, Number.NEGATIVE_INFINITY));
  const value = f.choose(g.op("v128.andnot", isNegative, isWhole(y)), Number.NaN, signed);
  return f.choose(f.eq(y, 0), 1, value);
}

/** Adds to a power that 1 to any power is 1, and so is -1 to an infinite one: JavaScript does not have it so. */
function withUnits(f: FloatOps, x: Node, y: Node, power: Node): Node {
  const { g } = f;
  const isUnit = g.op("v128.and", f.eq(f.abs(x), 1), f.eq(f.abs(y), Number.POSITIVE_INFINITY));
  return f.choose(g.op("v128.or", isUnit, f.eq(x, 1)), 1, power);
}

/** Computes C's pow in single precision. */
export function power(ops: VectorOps, x: Node, y: Node): Node {
  return withUnits(ops.single, x, y, anyPower(ops, x, y));
}

/** Computes C's pow in double precision. */
export function doublePower(f: FloatOps, x: Node, y: Node): Node {
  return withUnits(f, x, y, f.g.call("pow.f64x2.each", "v128", x, y));
}
