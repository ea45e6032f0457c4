import type { HalfDType } from "../dtype-promotion.ts";
import { scalar as s } from "./build.ts";
import type { BinaryFn, ScalarExpr } from "./expr.ts";

type Steps = (x: ScalarExpr, y: ScalarExpr, dtype: HalfDType) => ScalarExpr;

/** The distance between 1 and the next number, the smallest number, and the largest one. */
const NUMBERS = {
  float16: { epsilon: 2 ** -10, least: 2 ** -24, greatest: (2 - 2 ** -10) * 2 ** 15 },
  bfloat16: { epsilon: 2 ** -7, least: 2 ** -133, greatest: (2 - 2 ** -7) * 2 ** 127 },
} as const;

/**
 * The functions that PyTorch computes in several steps for half precision, rounding each step to the dtype. Other
 * functions are rounded once.
 */
export const IN_STEPS: { readonly [F in BinaryFn]?: Steps } = {
  truncdiv: (x, y, dtype) => s.trunc(s.cast(dtype, s.div(x, y))),

  // This is c10::div_floor_floating.
  floordiv(x, y, dtype) {
    const rounded = (value: ScalarExpr): ScalarExpr => s.cast(dtype, value);
    const ratio = rounded(s.div(x, y));
    const rest = s.fmod(x, y);
    const whole = rounded(s.div(rounded(s.sub(x, rest)), y));
    const below = s.and(s.ne(rest, 0), s.ne(s.lt(y, 0), s.lt(rest, 0)));
    const quotient = s.select(below, rounded(s.sub(whole, 1)), whole);
    const floor = s.floor(quotient);
    const nearest = s.select(s.gt(rounded(s.sub(quotient, floor)), 0.5), rounded(s.add(floor, 1)), floor);
    return s.select(s.eq(y, 0), ratio, s.select(s.eq(quotient, 0), s.copysign(0, ratio), nearest));
  },

  // The step is between 0.5 and 1.5 of the distance to the neighbor; rounding gives the neighbor.
  nextafter(x, y, dtype) {
    const { epsilon, least, greatest } = NUMBERS[dtype];
    const step = s.max(s.mul(s.abs(x), 0.6 * epsilon), 0.75 * least);
    const near = s.cast(dtype, s.select(s.gt(y, x), s.add(x, step), s.sub(x, step)));
    const next = s.select(s.isinf(x), s.copysign(greatest, x), near);
    // The sum of the operands is NaN if one of them is.
    return s.select(s.or(s.isnan(x), s.isnan(y)), s.add(x, y), s.select(s.eq(x, y), y, next));
  },
};
