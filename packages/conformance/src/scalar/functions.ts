import type { DType } from "@pt2/format";
import { type ScalarExpr, type TypedExpr, typeExpr } from "@pt2/registry/scalar";

/**
 * Makes a typed function of one or two inputs of a dtype, computed in that dtype; returns null if the scalar language
 * has no such function for the dtype.
 */
export function typedFunction(expr: ScalarExpr, dtype: DType): TypedExpr | null {
  try {
    const made = typeExpr(expr, { compute: dtype, operands: [dtype, dtype], result: dtype });
    // A bool result is compared without the cast.
    return made.kind === "cast" && made.x.dtype === "bool" ? made.x : made;
  } catch {
    return null;
  }
}

/** Returns whether a function of two inputs divides: integers must not be divided by zero. */
export function isDivision(fn: string): boolean {
  return ["floordiv", "truncdiv", "mod", "fmod"].includes(fn);
}
