import { DTYPES, type DType } from "@pt2/format";
import { registryError } from "../registry-errors.ts";
import type { BinaryFn } from "./expr.ts";
import { wrap } from "./wrap.ts";

/** The functions of two integers that return an integer. */
export type IntBinaryFn = Exclude<
  BinaryFn,
  "eq" | "ne" | "lt" | "le" | "gt" | "ge" | "div" | "atan2" | "copysign" | "hypot" | "nextafter"
>;

/** Computes in the two's complement of a dtype. Throws `registry.divide-by-zero` where PyTorch does. */
export function intBinary(fn: IntBinaryFn, x: bigint, y: bigint, dtype: DType): bigint {
  switch (fn) {
    case "add":
      return x + y;
    case "sub":
      return x - y;
    case "mul":
      return x * y;
    case "truncdiv":
      return x / divisor(y);
    case "fmod":
      return x % divisor(y);
    case "floordiv":
      return (x - floorMod(x, y)) / y;
    case "mod":
      return floorMod(x, y);
    case "pow":
      return intPower(x, y, dtype);
    case "min":
      return x < y ? x : y;
    case "max":
      return x > y ? x : y;
    case "and":
      return x & y;
    case "or":
      return x | y;
    case "xor":
      return x ^ y;
    case "shl":
      return outOfRange(y, dtype) ? 0n : x << y;
    case "shr":
      return outOfRange(y, dtype) ? (x < 0n ? -1n : 0n) : x >> y;
  }
}

const outOfRange = (count: bigint, dtype: DType): boolean => count < 0n || count >= BigInt(DTYPES[dtype].itemsize * 8);

function divisor(y: bigint): bigint {
  if (y !== 0n) return y;
  throw registryError("registry.divide-by-zero", {
    what: "an integer was divided by zero",
    advice: "guard the divisor, or divide as floats",
  });
}

function floorMod(x: bigint, y: bigint): bigint {
  const rest = x % divisor(y);
  return rest !== 0n && rest < 0n !== y < 0n ? rest + y : rest;
}

/**
 * Computes x to the power y with wrap-around; for a negative y the truncated inverse, which is zero except for 1 and
 * -1.
 */
function intPower(x: bigint, y: bigint, dtype: DType): bigint {
  if (y < 0n) return x === 1n ? 1n : x === -1n ? (y % 2n === 0n ? 1n : -1n) : 0n;
  let [result, base] = [1n, x];
  for (let rest = y; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = BigInt(wrap(dtype, result * base));
    base = BigInt(wrap(dtype, base * base));
  }
  return result;
}
