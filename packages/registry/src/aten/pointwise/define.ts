import { defineOp, type OpRecord, type Promotion } from "../../op.ts";
import type { ScalarExpr } from "../../scalar/expr.ts";

type Rule1 = (x: ScalarExpr) => ScalarExpr;
type Rule2 = (x: ScalarExpr, y: ScalarExpr) => ScalarExpr;
type Kind = Promotion["kind"];

const promotionOf = (promote: Kind | Promotion): Promotion =>
  typeof promote === "string" ? { kind: promote } : promote;

/** Ops of one tensor that differ in name only: PyTorch's synonyms of one function. */
export function unary(names: string | readonly string[], rule: Rule1, kind: Kind = "numeric"): readonly OpRecord[] {
  return [names].flat().map((name) => defineOp(`aten::${name}(Tensor self) -> Tensor`, rules1(rule, kind)));
}

/** Ops of two tensors, `(Tensor self, Tensor other)`, under each name as given. */
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

/** The overloads `.Tensor` and `.Scalar` of ops of two operands. */
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

/** An overload whose first operand is the number. */
export function scalarFirst(name: string, rule: Rule2, kind: Kind = "numeric"): OpRecord {
  return defineOp(`aten::${name}(Scalar self, Tensor other) -> Tensor`, {
    scalar: (x, y) => rule(x, y),
    promote: { kind, operands: ["self", "other"] },
  });
}

/** An overload whose second operand is the number. */
export function scalarSecond(name: string, rule: Rule2, kind: Kind = "numeric"): OpRecord {
  return defineOp(`aten::${name}(Tensor self, Scalar other) -> Tensor`, {
    scalar: (x, y) => rule(x, y),
    promote: { kind },
  });
}

/** The number that a `Scalar` operand is. What changes from run to run is fixed by being asked for. */
export function numberOf(expr: ScalarExpr): number {
  if (expr.kind === "cast") return numberOf(expr.x);
  if (expr.kind === "input" && expr.fix !== undefined) return expr.fix();
  return expr.kind === "const" ? Number(expr.value) : Number.NaN;
}

/** `factor * x`, which is `x` for the default factor 1. */
export function scaled(x: ScalarExpr, factor: ScalarExpr, mul: Rule2): ScalarExpr {
  return factor.kind === "const" && Number(factor.value) === 1 ? x : mul(x, factor);
}

function rules1(rule: Rule1, kind: Kind): { scalar: (self: ScalarExpr) => ScalarExpr; promote: Promotion } {
  return { scalar: (x) => rule(x), promote: { kind } };
}
