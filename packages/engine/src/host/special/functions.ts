import type { UnaryFn } from "@pt2/registry/scalar";
import { evaluate } from "@pt2/registry/scalar";

/** A function of the scalar language in double precision. */
export function evaluateFloat(fn: UnaryFn, x: number): number {
  return Number(
    evaluate({ kind: "unary", fn, dtype: "float64", x: { kind: "input", dtype: "float64", index: 0 } }, [x]),
  );
}
