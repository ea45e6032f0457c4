// Divisions of floats with a whole quotient.
import type { FloatOps, VectorOps } from "./float-ops.ts";
import type { Node } from "./nodes.ts";

/**
 * Computes C's fmod of single precision. In double precision a quotient of up to 28 bits is not rounded up to the next
 * integer: what they differ by is at least the last place of the divisor, over the divisor. Its product with the divisor is
 * exact, and so is what is left.
 */
export function fmod({ g, single: f, double: d, inDoubles }: VectorOps, x: Node, y: Node): Node {
  const value = inDoubles([f.abs(x), f.abs(y)], (a, divisor) => {
    // An infinite one would make a zero quotient not a number.
    const b = d.atMost(divisor, 1e300);
    return d.sub(a, d.mul(g.op("f64x2.trunc", d.div(a, b)), b));
  });
  return f.unless(f.gt(f.abs(f.div(x, y)), 2 ** 28), f.withSign(value, x), "fmod.f32x4.each", x, y);
}

/** The upper half of the bits of a fraction, and all that is before them. */
const UPPER = -1n << 27n;

/**
 * Computes C's fmod of double precision. The products of a quotient of up to 26 bits with either part of the divisor are
 * exact, and so are the differences from the dividend; a quotient that was rounded up to the next integer is one too many.
 */
export function doubleFmod(f: FloatOps, x: Node, y: Node): Node {
  const [a, b] = [f.abs(x), f.abs(y)];
  const plain = f.div(a, b);
  const quotient = f.g.op("f64x2.trunc", plain);
  const upper = f.g.op("v128.and", b, f.g.i64x2(UPPER));
  const rest = f.sub(f.sub(a, f.mul(quotient, upper)), f.mul(quotient, f.sub(b, upper)));
  const value = f.add(rest, f.choose(f.lt(rest, 0), b, 0));
  return f.unless(f.gt(plain, 2 ** 26), f.withSign(f.choose(f.lt(a, b), a, value), x), "fmod.f64x2.each", x, y);
}

const remainderOf = (f: FloatOps, x: Node, y: Node): Node => f.g.call(`fmod.${f.shape}`, "v128", x, y);

/** Returns a mask of lanes where the remainder is not zero and does not have the divisor's sign. */
function disagrees(f: FloatOps, rest: Node, y: Node): Node {
  const { g } = f;
  return g.op("v128.andnot", g.op("v128.xor", f.lt(rest, 0), f.lt(y, 0)), f.eq(rest, 0));
}

/** Computes a remainder with the sign of the divisor, as Python does. */
export function mod(f: FloatOps, x: Node, y: Node): Node {
  const rest = remainderOf(f, x, y);
  return f.choose(disagrees(f, rest, y), f.add(rest, y), rest);
}

/** Computes PyTorch's div_floor from the remainder, so that it agrees with `mod`. */
export function floorDivide(f: FloatOps, x: Node, y: Node): Node {
  const rest = remainderOf(f, x, y);
  const plain = f.div(x, y);
  const exact = f.div(f.sub(x, rest), y);
  const lowered = f.choose(disagrees(f, rest, y), f.sub(exact, 1), exact);
  const floor = f.g.op(`${f.shape}.floor`, lowered);
  const quotient = f.choose(f.gt(f.sub(lowered, floor), 0.5), f.add(floor, 1), floor);
  const signed = f.choose(f.eq(lowered, 0), f.withSign(0, plain), quotient);
  return f.choose(f.eq(y, 0), plain, signed);
}
