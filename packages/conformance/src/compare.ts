import type { TypedArray, Value } from "@pt2/backend";
import { bitsToFloat, DTYPES, type DType, isSmallFloat } from "@pt2/format";

/** How far a value may be from PyTorch's: `atol + rtol · |expected|`. */
export interface Tolerance {
  readonly rtol: number;
  readonly atol: number;
}

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
  return expected.data === null ? null : worstElement(await actual.read(), expected.data, dtype, shape, tolerance);
}

function worstElement(
  actual: TypedArray,
  expected: TypedArray,
  dtype: DType,
  shape: readonly number[],
  { rtol, atol }: Tolerance,
): string | null {
  if (actual.length !== expected.length) return `has ${actual.length} elements, expected ${expected.length}`;
  const [got, want] = [reader(actual, dtype), reader(expected, dtype)];
  let [worst, at, wrong] = [0, -1, 0];
  for (let i = 0; i < expected.length; i++) {
    const [a, b] = [got(i), want(i)];
    if (a === b || (Number.isNaN(a) && Number.isNaN(b))) continue;
    const difference = Math.abs(Number(a) - Number(b));
    const excess = typeof a === "bigint" ? Number.POSITIVE_INFINITY : difference / (atol + rtol * Math.abs(Number(b)));
    if (excess <= 1) continue;
    wrong++;
    if (at < 0 || !(excess <= worst)) [worst, at] = [Number.isNaN(excess) ? Number.POSITIVE_INFINITY : excess, i];
  }
  if (wrong === 0) return null;
  const place = indexOf(dtype.startsWith("complex") ? Math.floor(at / 2) : at, shape);
  return `${wrong} of ${expected.length} elements are wrong, the worst at [${place.join(", ")}]: ${got(at)}, expected ${want(at)}`;
}

function reader(array: TypedArray, dtype: DType): (index: number) => number | bigint {
  if (isSmallFloat(dtype)) return (i) => bitsToFloat(dtype, Number(array[i]));
  return (i) => array[i]!;
}

function indexOf(flat: number, shape: readonly number[]): readonly number[] {
  const index: number[] = [];
  let rest = flat;
  for (const size of [...shape].reverse()) {
    index.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return index;
}

/** The tolerance of a dtype: the backend's own, else the default; the wider one where a case asks for more. */
export function toleranceOf(
  dtype: DType,
  own: Readonly<Partial<Record<DType, Tolerance>>>,
  asked: Partial<Tolerance>,
): Tolerance {
  const { rtol, atol } = own[dtype] ?? DEFAULT_TOLERANCE[dtype] ?? EXACT;
  if (DTYPES[dtype].kind !== "float" && DTYPES[dtype].kind !== "complex") return { rtol, atol };
  return { rtol: Math.max(rtol, asked.rtol ?? 0), atol: Math.max(atol, asked.atol ?? 0) };
}
