import { type Comparable, type Element, elementsOf, numel, type Tolerance } from "@pt2/backend";
import type { DType } from "@pt2/format";
import type { OptionSpec } from "../command-syntax.ts";
import type { Options } from "../options.ts";

/** What is usual for a dtype whose results may be computed in another order. Integers and booleans must be equal. */
const DEFAULTS: Readonly<Partial<Record<DType, Tolerance>>> = {
  float64: { rtol: 1e-5, atol: 1e-6 },
  complex128: { rtol: 1e-5, atol: 1e-6 },
  float32: { rtol: 1e-3, atol: 1e-4 },
  complex64: { rtol: 1e-3, atol: 1e-4 },
  float16: { rtol: 1e-2, atol: 1e-3 },
  bfloat16: { rtol: 2e-2, atol: 1e-2 },
  float8_e4m3fn: { rtol: 0.13, atol: 1e-2 },
  float8_e5m2: { rtol: 0.26, atol: 1e-2 },
};

const EXACT: Tolerance = { rtol: 0, atol: 0 };

/** Options that set the tolerance of floating-point tensors. */
export const TOLERANCE_OPTIONS: readonly OptionSpec[] = [
  { name: "rtol", value: "R", help: "relative tolerance; default 1e-3 (float64 1e-5, float16 1e-2, bfloat16 2e-2)" },
  { name: "atol", value: "A", help: "absolute tolerance; default 1e-4 (float64 1e-6, float16 1e-3, bfloat16 1e-2)" },
];

/** Tolerances by dtype. */
export type ToleranceOf = (dtype: DType) => Tolerance;

/** The default tolerances, those of float32 for float64 that is held as such, or what the command line says. */
export function tolerances(options: Options): ToleranceOf {
  const [rtol, atol] = [options.number("rtol"), options.number("atol")];
  const narrow = options.flag("narrow-float64");
  return (dtype) => {
    const usual = DEFAULTS[narrow && dtype === "float64" ? "float32" : dtype];
    return usual === undefined ? EXACT : { rtol: rtol ?? usual.rtol, atol: atol ?? usual.atol };
  };
}

/**
 * The tolerance for a value on the way to a result: `atol + rtol × max |expected|` for all of its elements. What a program
 * computes next mixes elements, so an error counts by the largest of them; near a zero that large terms cancelled to,
 * `rtol × |expected|` would allow less than the order of summation changes.
 */
export function byLargestElement({ rtol, atol }: Tolerance, { dtype, shape, data }: Comparable): Tolerance {
  if (rtol === 0) return { rtol, atol };
  const at = elementsOf(dtype, data);
  let largest = 0;
  for (let i = 0; i < numel(shape); i++) {
    const size = sizeOf(at(i));
    if (Number.isFinite(size) && size > largest) largest = size;
  }
  return { rtol: 0, atol: atol + rtol * largest };
}

function sizeOf(element: Element): number {
  return typeof element === "object" ? Math.hypot(...element) : Math.abs(Number(element));
}

/** An error as a part of what is allowed. */
export function ratioText(ratio: number): string {
  return ratio === 0 ? "0" : Number.isFinite(ratio) ? ratio.toPrecision(2) : "inf";
}

/** The default tolerances. */
export const defaultTolerance: ToleranceOf = (dtype) => DEFAULTS[dtype] ?? EXACT;
