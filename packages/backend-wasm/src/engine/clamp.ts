import type { TypedExpr } from "@pt2/registry/scalar";

/** What `relu`, `hardtanh` and the like do to each element: `min(max(x, lo), hi)`. */
export interface Clamp {
  readonly lo: number;
  readonly hi: number;
}

/** Returns the bounds if an expression of one float32 operand only clamps it: `min(max(x, lo), hi)` in any nesting. */
export function clampOf(expr: TypedExpr): Clamp | null {
  if (expr.dtype !== "float32") return null;
  if (expr.kind === "input") return { lo: Number.NEGATIVE_INFINITY, hi: Number.POSITIVE_INFINITY };
  if (expr.kind !== "binary" || (expr.fn !== "max" && expr.fn !== "min")) return null;
  const [x, bound] = expr.x.kind === "const" ? [expr.y, expr.x] : [expr.x, expr.y];
  const inner = clampOf(x);
  if (inner === null || bound.kind !== "const" || Number.isNaN(Number(bound.value))) return null;
  const value = Number(bound.value);
  const limit = expr.fn === "max" ? Math.max : Math.min;
  return { lo: limit(inner.lo, value), hi: limit(inner.hi, value) };
}
