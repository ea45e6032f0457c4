import { type Comparable, type Element, elementsOf, numel, type Tolerance } from "@pt2/backend";
import type { DType } from "@pt2/format";
import type { OptionSpec } from "../command-syntax.ts";
import type { Options } from "../options.ts";

/**
 * The usual tolerances of dtypes whose results depend on the order of computation. Integers and booleans must be equal.
 */
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

/**
 * Returns the tolerances of the command line, or the defaults; float64 that is stored as float32 has those of float32.
 */
export function tolerances(options: Options): ToleranceOf {
  const [rtol, atol] = [options.number("rtol"), options.number("atol")];
  const narrow = options.flag("narrow-float64");
  return (dtype) => {
    const usual = DEFAULTS[narrow && dtype === "float64" ? "float32" : dtype];
    return usual === undefined ? EXACT : { rtol: rtol ?? usual.rtol, atol: atol ?? usual.atol };
  };
}

/**
 * Returns the tolerance for an intermediate value: `atol + rtol × max |expected|` for all of its elements. Later nodes
 * mix elements, so the largest one determines the allowed error; near a zero that results from cancellation, `rtol ×
 * |expected|` would be less than the effect of the order of summation.
 */
export function byLargestElement({ rtol, atol }: Tolerance, expected: Comparable): Tolerance {
  return rtol === 0 ? { rtol, atol } : { rtol: 0, atol: atol + rtol * largestElement(expected) };
}

/**
 * Returns the tolerance for an output that is computed in a dtype, its own or a less precise one. Each element of half
 * precision, or less, is allowed what the largest is: numbers that have been rounded on the way are added up to it, so that
 * PyTorch's own are as far from those of float64. A relative tolerance that the user gives is one of each element of float32.
 */
export function forOutput(toleranceOf: ToleranceOf, expected: Comparable, computed: DType): Tolerance {
  const tolerance = toleranceOf(computed);
  const isGiven = tolerance.rtol !== defaultTolerance(computed).rtol;
  const isRounded = ROUNDED.has(expected.dtype) || (ROUNDED.has(computed) && !isGiven);
  return isRounded ? byLargestElement(tolerance, expected) : tolerance;
}

const ROUNDED: ReadonlySet<DType> = new Set(["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]);

/** Returns the largest magnitude of a tensor's finite elements; 0 if there are none. */
export function largestElement({ dtype, shape, data }: Comparable): number {
  const at = elementsOf(dtype, data);
  let largest = 0;
  for (let i = 0; i < numel(shape); i++) {
    const size = sizeOf(at(i));
    if (Number.isFinite(size) && size > largest) largest = size;
  }
  return largest;
}

/** Returns the magnitude of an element. */
export function sizeOf(element: Element): number {
  return typeof element === "object" ? Math.hypot(...element) : Math.abs(Number(element));
}

/** Formats an error relative to the tolerance. */
export function ratioText(ratio: number): string {
  return ratio === 0 ? "0" : Number.isFinite(ratio) ? ratio.toPrecision(2) : "inf";
}

/** The default tolerances. */
export const defaultTolerance: ToleranceOf = (dtype) => DEFAULTS[dtype] ?? EXACT;
