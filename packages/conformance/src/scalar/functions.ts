import type { DType } from "@pt2/format";
import { type ScalarExpr, type TypedExpr, typeExpr } from "@pt2/registry/scalar";

/** A function of one or two inputs of a dtype, computed in it; null where the language has no such function for the dtype. */
export function typedFunction(expr: ScalarExpr, dtype: DType): TypedExpr | null {
  try {
    const made = typeExpr(expr, { compute: dtype, operands: [dtype, dtype], result: dtype });
    // A bool result is looked at as it is.
    return made.kind === "cast" && made.x.dtype === "bool" ? made.x : made;
  } catch {
    return null;
  }
}

/** Whether a function of two inputs divides, as integers must not by zero. */
export function isDivision(fn: string): boolean {
  return ["floordiv", "truncdiv", "mod", "fmod"].includes(fn);
}
