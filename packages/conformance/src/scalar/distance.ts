import { DTYPES, type DType } from "@pt2/format";
import type { ScalarValue } from "@pt2/registry/scalar";
import type { DeviceNumbers } from "./samples.ts";

/** The number of fraction bits, and the smallest exponent of a normal number. */
const FORMATS: { readonly [D in DType]?: readonly [bits: number, least: number] } = {
  float16: [10, -14],
  bfloat16: [7, -126],
  float32: [23, -126],
  float64: [52, -900],
};

/**
 * Returns the distance in units in the last place of the expected value; infinite for values that must be equal and are
 * not.
 */
export function distance(
  actual: ScalarValue,
  expected: ScalarValue,
  dtype: DType,
  { narrow = false }: DeviceNumbers = {},
): number {
  if (actual === expected || (Number.isNaN(actual) && Number.isNaN(expected))) return 0;
  if (typeof actual !== "number" || typeof expected !== "number" || DTYPES[dtype].kind !== "float")
    return Number.POSITIVE_INFINITY;
  if (narrow && Math.abs(actual) <= 2 ** -126 && Math.abs(expected) <= 2 ** -126) return 0;
  const [bits, least] = FORMATS[narrow && dtype === "float64" ? "float32" : dtype]!;
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(expected))), least);
  const ulps = Math.abs(actual - expected) / 2 ** (exponent - bits);
  return Number.isNaN(ulps) ? Number.POSITIVE_INFINITY : ulps;
}
