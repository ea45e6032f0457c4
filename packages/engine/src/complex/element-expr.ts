import type { TypedExpr } from "@pt2/registry/scalar";

/** A complex number from expressions of its parts. */
export interface ComplexExpr {
  readonly dtype: "complex64" | "complex128";
  readonly parts: readonly [re: TypedExpr, im: TypedExpr];
}

/** What a loop over elements computes. */
export type ElementExpr = TypedExpr | ComplexExpr;
