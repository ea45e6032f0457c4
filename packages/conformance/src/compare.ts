import { compareTensors, differenceText, type Tolerance, type TypedArray, type Value } from "@pt2/backend";
import { DTYPES, type DType } from "@pt2/format";

export type { Tolerance };

/** An expected tensor; without `data` only dtype and shape are compared. */
export interface ExpectedTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly data: TypedArray | null;
}

/**
 * The default tolerances by dtype: one unit in the last place plus an allowance for sums in another order. Integers and
 * bools are exact.
 */
export const DEFAULT_TOLERANCE: Readonly<Partial<Record<DType, Tolerance>>> = {
  float64: { rtol: 1e-7, atol: 1e-7 },
  float32: { rtol: 1e-5, atol: 1e-5 },
  float16: { rtol: 2e-3, atol: 1e-3 },
  bfloat16: { rtol: 1.6e-2, atol: 1e-2 },
  complex64: { rtol: 1e-5, atol: 1e-5 },
  complex128: { rtol: 1e-7, atol: 1e-7 },
};

const EXACT: Tolerance = { rtol: 0, atol: 0 };

/**
 * Describes how a tensor differs from the expected one, naming its worst element; returns null if it does not. NaN
 * equals NaN.
 */
export async function compareTensor(
  actual: Value | undefined,
  expected: ExpectedTensor,
  tolerance: Tolerance = EXACT,
): Promise<string | null> {
  const { dtype, shape } = expected;
  const wanted = `${dtype}[${shape.join(", ")}]`;
  if (typeof actual !== "object" || actual === null) return `is ${String(actual)}, expected a tensor ${wanted}`;
  const given = `${actual.dtype}[${actual.shape.join(", ")}]`;
  if (given !== wanted) return `is ${given}, expected ${wanted}`;
  if (expected.data === null) return null;
  const got = await actual.read();
  if (got.length !== expected.data.length) return `has ${got.length} elements, expected ${expected.data.length}`;
  return differenceText(compareTensors({ dtype, shape, data: expected.data }, { dtype, shape, data: got }, tolerance));
}

/**
 * Returns the tolerance for a dtype: the backend's own, else the default, or that of the case if it is wider. If a case
 * asks for zero tolerance, every bit counts, unless the backend states a tolerance for the dtype.
 */
export function toleranceOf(
  dtype: DType,
  own: Readonly<Partial<Record<DType, Tolerance>>>,
  asked: Partial<Tolerance>,
): Tolerance {
  const isExact = asked.rtol === 0 && asked.atol === 0;
  const { rtol, atol } = own[dtype] ?? (isExact ? EXACT : (DEFAULT_TOLERANCE[dtype] ?? EXACT));
  if (DTYPES[dtype].kind !== "float" && DTYPES[dtype].kind !== "complex") return { rtol, atol };
  return { rtol: Math.max(rtol, asked.rtol ?? 0), atol: Math.max(atol, asked.atol ?? 0) };
}
