import { compareTensors, differenceText, type Tolerance, type TypedArray, type Value } from "@pt2/backend";
import { DTYPES, type DType } from "@pt2/format";

export type { Tolerance };

/** What a tensor is compared with; without `data` only dtype and shape count. */
export interface ExpectedTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly data: TypedArray | null;
}

/** Tolerances by dtype; integers and bools are exact. A unit in the last place, and something for sums in another order. */
export const DEFAULT_TOLERANCE: Readonly<Partial<Record<DType, Tolerance>>> = {
  float64: { rtol: 1e-7, atol: 1e-7 },
  float32: { rtol: 1e-5, atol: 1e-5 },
  float16: { rtol: 2e-3, atol: 1e-3 },
  bfloat16: { rtol: 1.6e-2, atol: 1e-2 },
  complex64: { rtol: 1e-5, atol: 1e-5 },
  complex128: { rtol: 1e-7, atol: 1e-7 },
};

const EXACT: Tolerance = { rtol: 0, atol: 0 };

/** What is wrong with a tensor, naming its worst element; null when nothing is. NaN equals NaN. */
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
 * The tolerance of a dtype: the backend's own, else the default; the wider one where a case asks for more. A case that
 * asks for zeros rounds in one way only: every bit counts, unless the backend states a tolerance for the dtype.
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
