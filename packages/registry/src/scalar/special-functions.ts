import { erf, erfc, erfinv } from "./error-function.ts";
import { ELEMENTARY, type FloatUnaryFn } from "./functions.ts";
import { digamma, lgamma } from "./gamma.ts";

/** Implements the functions of one operand in double precision. A float32 result is rounded once. */
export const FLOAT_UNARY: Readonly<Record<FloatUnaryFn, (x: number) => number>> = {
  ...ELEMENTARY,
  erf,
  erfc,
  erfinv,
  lgamma,
  digamma,
};
