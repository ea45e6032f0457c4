import { defineOp, type OpRecord, type Promotion } from "../../op.ts";
import type { ScalarExpr } from "../../scalar/expr.ts";

type Rule1 = (x: ScalarExpr) => ScalarExpr;
type Rule2 = (x: ScalarExpr, y: ScalarExpr) => ScalarExpr;
type Kind = Promotion["kind"];

const promotionOf = (promote: Kind | Promotion): Promotion =>
  typeof promote === "string" ? { kind: promote } : promote;

/** Defines ops of one tensor that are synonyms of one function. */
export function unary(names: string | readonly string[], rule: Rule1, kind: Kind = "numeric"): readonly OpRecord[] {
  return [names].flat().map((name) => defineOp(`aten::${name}(Tensor self) -> Tensor`, rules1(rule, kind)));
}

/** Defines ops of two tensors, `(Tensor self, Tensor other)`, under each of the given names. */
export function binary(
  names: string | readonly string[],
  rule: Rule2,
  promote: Kind | Promotion = "numeric",
): readonly OpRecord[] {
  return [names].flat().map((name) =>
    defineOp(`aten::${name}(Tensor self, Tensor other) -> Tensor`, {
      scalar: (x, y) => rule(x, y),
      promote: promotionOf(promote),
    }),
  );
}

/** Defines the overloads `.Tensor` and `.Scalar` of ops of two operands. */
export function binaryOrScalar(
  names: string | readonly string[],
  rule: Rule2,
  promote: Kind | Promotion = "numeric",
): readonly OpRecord[] {
  return [names].flat().flatMap((name) => [
    ...binary(`${name}.Tensor`, rule, promote),
    defineOp(`aten::${name}.Scalar(Tensor self, Scalar other) -> Tensor`, {
      scalar: (x, y) => rule(x, y),
      promote: promotionOf(promote),
    }),
  ]);
}

/** Defines an overload whose first operand is a number. */
export function scalarFirst(name: string, rule: Rule2, kind: Kind = "numeric"): OpRecord {
  return defineOp(`aten::${name}(Scalar self, Tensor other) -> Tensor`, {
    scalar: (x, y) => rule(x, y),
    promote: { kind, operands: ["self", "other"] },
  });
}

/** Defines an overload whose second operand is a number. */
export function scalarSecond(name: string, rule: Rule2, kind: Kind = "numeric"): OpRecord {
  return defineOp(`aten::${name}(Tensor self, Scalar other) -> Tensor`, {
    scalar: (x, y) => rule(x, y),
    promote: { kind },
  });
}

/** Returns the value of a `Scalar` operand. Reading it makes the compiled program depend on this value. */
export function numberOf(expr: ScalarExpr): number {
  if (expr.kind === "cast") return numberOf(expr.x);
  if (expr.kind === "input" && expr.fix !== undefined) return expr.fix();
  return expr.kind === "const" ? Number(expr.value) : Number.NaN;
}

/** Returns `factor * x`, or `x` if the factor is the default 1. */
export function scaled(x: ScalarExpr, factor: ScalarExpr, mul: Rule2): ScalarExpr {
  return factor.kind === "const" && Number(factor.value) === 1 ? x : mul(x, factor);
}

function rules1(rule: Rule1, kind: Kind): { scalar: (self: ScalarExpr) => ScalarExpr; promote: Promotion } {
  return { scalar: (x) => rule(x), promote: { kind } };
}
