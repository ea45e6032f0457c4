import type { TensorType } from "./ir.ts";
import { call, sameExpr, toExpr, toSymInt } from "./sym/make-expr.ts";
import { printSym } from "./sym/print-expr.ts";
import { simplify } from "./sym/simplify-expr.ts";
import type { SymExpr, SymInt } from "./sym/sym-expr.ts";

/** Returns the strides of a contiguous tensor of that shape. */
export function contiguousStrides(shape: readonly SymInt[]): readonly SymInt[] {
  const strides: SymInt[] = [];
  let next: SymInt = 1;
  for (const size of shape.toReversed()) {
    strides.push(next);
    // PyTorch counts an empty dimension as one here.
    next = size === 0 ? next : timesSize(next, size);
  }
  return strides.reverse();
}

/** Returns whether two sizes are provably equal. */
function sameSize(a: SymInt, b: SymInt): boolean {
  return sameExpr(sorted(simplify(toExpr(a))), sorted(simplify(toExpr(b))));
}

/** Sorts what is added and multiplied, which changes no integer. */
function sorted(expr: SymExpr): SymExpr {
  if (expr.kind !== "call") return expr;
  const args = expr.args.map(sorted);
  const commutes = expr.fn === "Add" || expr.fn === "Mul";
  return call(expr.fn, ...(commutes ? args.sort((a, b) => (printSym(a) < printSym(b) ? -1 : 1)) : args));
}

/** Returns whether two lists of sizes are provably equal. */
export function sameSizes(a: readonly SymInt[], b: readonly SymInt[]): boolean {
  return a.length === b.length && a.every((size, i) => sameSize(size, b[i]!));
}

/** Returns whether a tensor is provably contiguous; strides of dimensions of size 1 are ignored. */
export function isContiguous(type: TensorType): boolean {
  if (type.shape.some((size) => size === 0)) return true;
  const dense = contiguousStrides(type.shape);
  return type.strides.every((stride, i) => type.shape[i] === 1 || sameSize(ofNonEmpty(stride), dense[i]!));
}

/**
 * Simplifies `Max(1, s0)`, which PyTorch writes for the stride over a size that could be 0; empty tensors have any
 * strides.
 */
export function ofNonEmpty(stride: SymInt): SymInt {
  const strip = (expr: SymExpr): SymExpr => {
    if (expr.kind !== "call") return expr;
    const rest = expr.fn === "Max" ? expr.args.filter((arg) => arg.kind !== "number" || arg.value !== 1) : [];
    return rest.length === 1 ? strip(rest[0]!) : call(expr.fn, ...expr.args.map(strip));
  };
  return toSymInt(strip(toExpr(stride)));
}

/** Returns the product of two sizes. */
export function timesSize(a: SymInt, b: SymInt): SymInt {
  return toSymInt(simplify(call("Mul", toExpr(a), toExpr(b))));
}
