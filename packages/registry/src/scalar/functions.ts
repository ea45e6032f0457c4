import type { DType } from "@pt2/format";
import { roundHalfEven } from "@pt2/format";
import type { BinaryFn, UnaryFn } from "./expr.ts";

/** The functions of one float that return a float. */
export type FloatUnaryFn = Exclude<UnaryFn, "not" | "isnan" | "isinf">;
/** The functions that neither processors nor JavaScript's standard library provide. */
export type SpecialFn = "erf" | "erfc" | "erfinv" | "lgamma" | "digamma";
/** The functions of two floats that return a float. */
export type FloatBinaryFn = Exclude<
  BinaryFn,
  "eq" | "ne" | "lt" | "le" | "gt" | "ge" | "and" | "or" | "xor" | "shl" | "shr"
>;

/** Implements the elementary functions in double precision. A float32 result is rounded once. */
export const ELEMENTARY: Readonly<Record<Exclude<FloatUnaryFn, SpecialFn>, (x: number) => number>> = {
  neg: (x) => -x,
  abs: Math.abs,
  // NaN has sign 0 in PyTorch.
  sign: (x) => (x > 0 ? 1 : x < 0 ? -1 : 0),
  ceil: Math.ceil,
  floor: Math.floor,
  trunc: Math.trunc,
  round: roundHalfEven,
  sqrt: Math.sqrt,
  exp: Math.exp,
  exp2: (x) => 2 ** x,
  expm1: Math.expm1,
  log: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  log1p: Math.log1p,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
};

/**
 * Computes a function of two operands in the precision of `round`, which is applied after every step as hardware does.
 */
export function floatBinary(fn: FloatBinaryFn, x: number, y: number, dtype: DType): number {
  const round = dtype === "float64" ? (value: number): number => value : Math.fround;
  switch (fn) {
    case "add":
      return round(x + y);
    case "sub":
      return round(x - y);
    case "mul":
      return round(x * y);
    case "div":
      return round(x / y);
    case "truncdiv":
      return Math.trunc(round(x / y));
    case "floordiv":
      return floorDivide(x, y, round);
    case "fmod":
      return x % y;
    case "mod": {
      const rest = x % y;
      return rest !== 0 && rest < 0 !== y < 0 ? round(rest + y) : rest;
    }
    case "pow":
      return round(power(x, y));
    case "atan2":
      return round(Math.atan2(x, y));
    case "hypot":
      return round(Math.hypot(x, y));
    case "min":
      return Math.min(x, y);
    case "max":
      return Math.max(x, y);
    case "copysign":
      return Math.abs(x) * (y < 0 || Object.is(y, -0) ? -1 : 1);
    case "nextafter":
      return nextAfter(x, y, dtype);
  }
}

/** Computes C's pow: unlike in JavaScript, 1 to any power is 1, and so is (-1) to an infinite power. */
function power(x: number, y: number): number {
  return x === 1 || (x === -1 && Math.abs(y) === Number.POSITIVE_INFINITY) ? 1 : x ** y;
}

/** Computes PyTorch's div_floor: the quotient is made exact first, so that it agrees with `mod`. */
function floorDivide(x: number, y: number, round: (value: number) => number): number {
  if (y === 0) return round(x / y);
  const rest = x % y;
  let quotient = round(round(x - rest) / y);
  if (rest !== 0 && y < 0 !== rest < 0) quotient = round(quotient - 1);
  if (quotient === 0) return x / y < 0 || Object.is(x / y, -0) ? -0 : 0;
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? round(floor + 1) : floor;
}

const bits = new DataView(new ArrayBuffer(8));

/** Returns the neighbor of x in the direction of y. */
function nextAfter(x: number, y: number, dtype: DType): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  if (x === y) return y;
  const double = dtype === "float64";
  if (x === 0) return (double ? Number.MIN_VALUE : 2 ** -149) * (y > 0 ? 1 : -1);
  const step = y > x === x > 0 ? 1n : -1n;
  if (double) {
    bits.setFloat64(0, x);
    bits.setBigUint64(0, bits.getBigUint64(0) + step);
    return bits.getFloat64(0);
  }
  bits.setFloat32(0, x);
  bits.setUint32(0, bits.getUint32(0) + Number(step));
  return bits.getFloat32(0);
}
