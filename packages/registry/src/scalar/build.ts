import type { DType } from "@pt2/format";
import type { BinaryFn, ScalarExpr, ScalarOperand, UnaryFn } from "./expr.ts";

type UnaryBuilders = { readonly [F in UnaryFn]: (x: ScalarOperand) => ScalarExpr };
type BinaryBuilders = { readonly [F in BinaryFn]: (x: ScalarOperand, y: ScalarOperand) => ScalarExpr };

/** Builds scalar expressions: one function for each {@link UnaryFn} and {@link BinaryFn}, and compositions of these. */
export interface ScalarBuilders extends UnaryBuilders, BinaryBuilders {
  /** Makes the element of the n-th tensor operand. */
  input(index: number): ScalarExpr;
  /** Returns the operand itself, or a constant for a number. */
  lit(x: ScalarOperand): ScalarExpr;
  /** Makes `c ? x : y`. */
  select(c: ScalarOperand, x: ScalarOperand, y: ScalarOperand): ScalarExpr;
  /** Makes a conversion with the semantics of `Tensor.to`. */
  cast(to: DType, x: ScalarOperand): ScalarExpr;
  reciprocal(x: ScalarOperand): ScalarExpr;
  rsqrt(x: ScalarOperand): ScalarExpr;
  square(x: ScalarOperand): ScalarExpr;
  sigmoid(x: ScalarOperand): ScalarExpr;
  /** Makes relu. It has no gradient at zero, see {@link ScalarBuilders.clamp}. */
  relu(x: ScalarOperand): ScalarExpr;
  /**
   * Clamps x; null means no bound, and NaN stays NaN. The bound is the second operand of `max` and `min`, which makes
   * `differentiate` pass the gradient at the bound itself; with the bound first it passes none (`relu`, `hardtanh`).
   */
  clamp(x: ScalarOperand, low: ScalarOperand | null, high: ScalarOperand | null): ScalarExpr;
}

const lit = (x: ScalarOperand): ScalarExpr => (typeof x === "object" ? x : { kind: "const", value: x });

// These tables are records, not lists, so that a function of the language that is missing here is a compile error.
const UNARY: Readonly<Record<UnaryFn, true>> = {
  neg: true,
  abs: true,
  sign: true,
  ceil: true,
  floor: true,
  trunc: true,
  round: true,
  sqrt: true,
  exp: true,
  exp2: true,
  expm1: true,
  log: true,
  log2: true,
  log10: true,
  log1p: true,
  sin: true,
  cos: true,
  tan: true,
  asin: true,
  acos: true,
  atan: true,
  sinh: true,
  cosh: true,
  tanh: true,
  asinh: true,
  acosh: true,
  atanh: true,
  erf: true,
  erfc: true,
  erfinv: true,
  lgamma: true,
  digamma: true,
  not: true,
  isnan: true,
  isinf: true,
};

const BINARY: Readonly<Record<BinaryFn, true>> = {
  add: true,
  sub: true,
  mul: true,
  div: true,
  floordiv: true,
  truncdiv: true,
  mod: true,
  fmod: true,
  pow: true,
  atan2: true,
  min: true,
  max: true,
  eq: true,
  ne: true,
  lt: true,
  le: true,
  gt: true,
  ge: true,
  and: true,
  or: true,
  xor: true,
  shl: true,
  shr: true,
  copysign: true,
  hypot: true,
  nextafter: true,
};

/** The names of all functions of one operand. */
export const UNARY_FNS: readonly UnaryFn[] = Object.keys(UNARY) as UnaryFn[];

/** The names of all functions of two operands. */
export const BINARY_FNS: readonly BinaryFn[] = Object.keys(BINARY) as BinaryFn[];

const unary = Object.fromEntries(
  UNARY_FNS.map((fn) => [fn, (x: ScalarOperand): ScalarExpr => ({ kind: "unary", fn, x: lit(x) })]),
) as UnaryBuilders;

const binary = Object.fromEntries(
  BINARY_FNS.map((fn) => [
    fn,
    (x: ScalarOperand, y: ScalarOperand): ScalarExpr => ({ kind: "binary", fn, x: lit(x), y: lit(y) }),
  ]),
) as BinaryBuilders;

/**
 * The builders of scalar expressions.
 *
 * ```ts
 * const { add, div, exp, neg } = scalar;
 * const silu = (x: ScalarExpr) => div(x, add(1, exp(neg(x))));
 * ```
 */
export const scalar: ScalarBuilders = Object.freeze({
  ...unary,
  ...binary,
  lit,
  input: (index: number): ScalarExpr => ({ kind: "input", index }),
  select: (c: ScalarOperand, x: ScalarOperand, y: ScalarOperand): ScalarExpr => ({
    kind: "select",
    c: lit(c),
    x: lit(x),
    y: lit(y),
  }),
  cast: (to: DType, x: ScalarOperand): ScalarExpr => ({ kind: "cast", to, x: lit(x) }),
  reciprocal: (x: ScalarOperand): ScalarExpr => binary.div(1, x),
  rsqrt: (x: ScalarOperand): ScalarExpr => binary.div(1, unary.sqrt(x)),
  square: (x: ScalarOperand): ScalarExpr => binary.mul(x, x),
  sigmoid: (x: ScalarOperand): ScalarExpr => binary.div(1, binary.add(1, unary.exp(unary.neg(x)))),
  relu: (x: ScalarOperand): ScalarExpr => binary.max(0, x),
  clamp(x: ScalarOperand, low: ScalarOperand | null, high: ScalarOperand | null): ScalarExpr {
    const raised = low === null ? lit(x) : binary.max(x, low);
    return high === null ? raised : binary.min(raised, high);
  },
});
