import { compareTensors, differenceText, type Tolerance } from "@pt2/backend";
import type { DType } from "@pt2/format";
import type { HostTensor, Value } from "@pt2/runtime";

/** A leaf of inputs or outputs, with tensors in host memory. */
export type Leaf = HostTensor | Exclude<Value, { readonly shape: unknown }>;

/** How far elements of a dtype may be from PyTorch's; those of other dtypes are exact. */
export type Tolerances = Readonly<Partial<Record<DType, Tolerance>>>;

/**
 * An element may differ by `atol + rtol × |expected|`; sums in another order differ by a few units in the last place.
 */
const TOLERANCE: Tolerances = {
  float64: { rtol: 1e-7, atol: 1e-7 },
  float32: { rtol: 1e-4, atol: 1e-5 },
  float16: { rtol: 4e-3, atol: 1e-3 },
  bfloat16: { rtol: 2e-2, atol: 1e-2 },
  complex64: { rtol: 1e-4, atol: 1e-5 },
};

/**
 * Describes what is wrong with a leaf; null if nothing is. Dtype and shape count, NaN equals NaN, other dtypes than
 * floats are exact.
 */
export function difference(
  actual: Leaf | undefined,
  expected: Leaf,
  tolerances: Tolerances = TOLERANCE,
): string | null {
  if (typeof expected !== "object" || expected === null) {
    return Object.is(actual, expected) || (typeof actual === "bigint" && Number(actual) === expected)
      ? null
      : `${String(actual)}, not ${String(expected)}`;
  }
  if (typeof actual !== "object" || actual === null) return `${String(actual)}, not a tensor`;
  const tolerance = tolerances[expected.dtype] ?? { rtol: 0, atol: 0 };
  return differenceText(compareTensors(expected, actual, tolerance));
}
