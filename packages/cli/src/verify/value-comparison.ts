import { type Comparison, compareTensors, mismatch, typeText, type Value } from "@pt2/backend";
import type { DType } from "@pt2/format";
import { tolerated } from "./computed-in.ts";
import { isRecordedType, type Recorded } from "./recorded-nodes.ts";
import { byLargestElement, type ToleranceOf } from "./tolerance.ts";

const SAME: Comparison = { ok: true, ratio: 0, maxAbs: 0, bad: 0, count: 1, worst: null };

/**
 * Compares a value of a program with the expected one: tensors within the tolerance of what they are computed in, others
 * exactly.
 */
export async function compareValue(
  expected: Recorded,
  actual: Value,
  tolerance: ToleranceOf,
  computed?: DType,
): Promise<Comparison> {
  if (isRecordedType(expected)) {
    const wanted = typeText(expected);
    const given = textOf(actual);
    return given === wanted ? SAME : mismatch(`${given} instead of ${wanted}`, 1);
  }
  if (typeof expected === "object" && expected !== null && typeof actual === "object" && actual !== null) {
    const want = { dtype: expected.dtype, shape: expected.shape, data: await expected.read() };
    const have = { dtype: actual.dtype, shape: actual.shape, data: await actual.read() };
    return compareTensors(want, have, byLargestElement(tolerance(tolerated(want.dtype, computed)), want));
  }
  // A size is a number or a bigint.
  if (Object.is(expected, actual) || String(expected) === String(actual)) return SAME;
  return mismatch(`${textOf(actual)} instead of ${textOf(expected)}`, 1);
}

function textOf(value: Value): string {
  return typeof value === "object" && value !== null ? typeText(value) : String(value);
}
