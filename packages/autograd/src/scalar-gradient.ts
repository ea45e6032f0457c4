import {
  type ArgValue,
  type Builder,
  type OpRecord,
  type Scalar,
  type TensorMeta,
  typeScalarCall,
} from "@pt2/registry";
import {
  type BinaryFn,
  differentiate,
  fold,
  type ScalarExpr,
  scalar as s,
  simplify,
  type TypedExpr,
  typeExpr,
  type UnaryFn,
} from "@pt2/registry/scalar";
import { isFloat } from "./differentiable.ts";

/**
 * Computes the gradients of an elementwise call from the derivatives of its expression: for each operand that `wants`
 * names, the gradient of the result times the derivative. Operands that occur twice have two entries.
 */
export function scalarGradient(
  record: OpRecord,
  args: Readonly<Record<string, ArgValue>>,
  { result, grad }: { readonly result: TensorMeta; readonly grad: TensorMeta },
  wants: (operand: TensorMeta) => boolean,
  b: Builder,
): readonly (readonly [operand: TensorMeta, gradient: TensorMeta])[] {
  const { expr, operands, compute } = typeScalarCall(record, args);
  const dtypes = [...operands, grad, result].map(({ dtype }) => dtype);
  return operands.flatMap((operand, index) => {
    if (!wants(operand)) return [];
    const derivative = differentiate(expr, { kind: "input", index });
    if (derivative.kind === "const" && derivative.value === 0) return [];
    // Derivatives of exp, tanh and others are functions of the result, which is there already.
    const reused = replaced(derivative, expr, { kind: "input", index: operands.length + 1 });
    const product = chained({ kind: "input", index: operands.length }, reused);
    const typed = simplify(typeExpr(product, { compute, operands: dtypes, result: operand.dtype }));
    const made = emitted(typed, [...operands, grad, result], b);
    return [[operand, summedTo(operand.shape, made, b)] as const];
  });
}

/** Multiplies by a derivative. Where that is chosen the product is: 0 times an infinite gradient would be NaN. */
function chained(grad: ScalarExpr, derivative: ScalarExpr): ScalarExpr {
  if (derivative.kind === "select") {
    return s.select(derivative.c, chained(grad, derivative.x), chained(grad, derivative.y));
  }
  return derivative.kind === "const" && derivative.value === 0 ? derivative : s.mul(grad, derivative);
}

/** Sums over the dimensions that broadcasting added or enlarged. */
export function summedTo(shape: readonly number[], grad: TensorMeta, b: Builder): TensorMeta {
  const added = grad.shape.length - shape.length;
  const dim = grad.shape.flatMap((size, d) => (d < added || (shape[d - added] === 1 && size !== 1) ? [d] : []));
  if (dim.length === 0) return grad;
  const self = b.tensor("aten::sum.dim_IntList", { self: grad, dim, keepdim: true });
  return added === 0 ? self : b.tensor("aten::reshape", { self, shape });
}

function replaced(expr: ScalarExpr, from: ScalarExpr, to: ScalarExpr): ScalarExpr {
  if (from.kind === "input" || from.kind === "const") return expr;
  const memo = new Map<ScalarExpr, ScalarExpr>([[from, to]]);
  const visit = (node: ScalarExpr): ScalarExpr => {
    const known = memo.get(node);
    if (known !== undefined) return known;
    const made = withOperands(node, visit);
    memo.set(node, made);
    return made;
  };
  return visit(expr);
}

function withOperands(node: ScalarExpr, of: (child: ScalarExpr) => ScalarExpr): ScalarExpr {
  switch (node.kind) {
    case "input":
    case "const":
      return node;
    case "unary":
    case "cast":
      return { ...node, x: of(node.x) };
    case "binary":
      return { ...node, x: of(node.x), y: of(node.y) };
    case "select":
      return { ...node, c: of(node.c), x: of(node.x), y: of(node.y) };
  }
}

/** An op that computes a function of two tensors. */
interface BinaryOp {
  readonly op: string;
  /** What its schema calls the second operand; `other` if left out. */
  readonly second?: string;
  readonly args?: Readonly<Record<string, ArgValue>>;
}

/** Functions of two operands whose op is not the function's name with `.Tensor`. */
const BINARY: { readonly [F in BinaryFn]?: BinaryOp } = {
  floordiv: { op: "div.Tensor_mode", args: { rounding_mode: "floor" } },
  truncdiv: { op: "div.Tensor_mode", args: { rounding_mode: "trunc" } },
  mod: { op: "remainder.Tensor" },
  pow: { op: "pow.Tensor_Tensor", second: "exponent" },
  atan2: { op: "atan2" },
  min: { op: "minimum" },
  max: { op: "maximum" },
  and: { op: "bitwise_and.Tensor" },
  or: { op: "bitwise_or.Tensor" },
  xor: { op: "bitwise_xor.Tensor" },
  hypot: { op: "hypot" },
};

/** The same where the second operand is a number. */
const WITH_NUMBER: { readonly [F in BinaryFn]?: string } = {
  add: "add.Tensor",
  sub: "sub.Tensor",
  mul: "mul.Tensor",
  div: "div.Tensor",
  eq: "eq.Scalar",
  ne: "ne.Scalar",
  lt: "lt.Scalar",
  le: "le.Scalar",
  gt: "gt.Scalar",
  ge: "ge.Scalar",
  pow: "pow.Tensor_Scalar",
};

/** The function with its operands exchanged. */
const EXCHANGED: { readonly [F in BinaryFn]?: BinaryFn } = {
  add: "add",
  mul: "mul",
  min: "min",
  max: "max",
  eq: "eq",
  ne: "ne",
  lt: "gt",
  le: "ge",
  gt: "lt",
  ge: "le",
};

const UNARY: { readonly [F in UnaryFn]?: string } = { not: "bitwise_not" };

/** Emits an expression as calls of elementwise ops, which planners fuse again. */
function emitted(expr: TypedExpr, operands: readonly TensorMeta[], b: Builder): TensorMeta {
  const [result] = fold<TensorMeta>([expr], (node, of) => {
    switch (node.kind) {
      case "input":
        return operands[node.index]!;
      case "const":
        return b.tensor("aten::scalar_tensor", { s: numberOf(node), dtype: node.dtype });
      case "cast":
        return b.tensor("aten::_to_copy", { self: of(node.x), dtype: node.dtype });
      case "unary":
        return b.tensor(`aten::${UNARY[node.fn] ?? node.fn}` as string, { self: of(node.x) });
      case "select":
        return b.tensor("aten::where.self", { condition: of(node.c), self: of(node.x), other: of(node.y) });
      case "binary":
        return emitBinary(node, of, b);
    }
  });
  return result!;
}

function emitBinary(
  given: TypedExpr & { readonly kind: "binary" },
  of: (child: TypedExpr) => TensorMeta,
  b: Builder,
): TensorMeta {
  const exchanged = given.x.kind === "const" && given.y.kind !== "const" ? EXCHANGED[given.fn] : undefined;
  const { fn, x, y } = exchanged === undefined ? given : { fn: exchanged, x: given.y, y: given.x };
  if (x.kind === "const" && y.kind !== "const") {
    if (fn === "sub") return b.tensor("aten::rsub.Scalar", { self: of(y), other: numberOf(x) });
    if (fn === "div") {
      const self = b.tensor("aten::reciprocal", { self: of(y) });
      return Number(x.value) === 1 ? self : b.tensor("aten::mul.Tensor", { self, other: numberOf(x) });
    }
  }
  const withNumber = y.kind === "const" && x.kind !== "const" ? WITH_NUMBER[fn] : undefined;
  if (withNumber !== undefined && y.kind === "const") {
    const second = fn === "pow" ? "exponent" : "other";
    return b.tensor(`aten::${withNumber}` as string, { self: of(x), [second]: numberOf(y) });
  }
  const { op, second = "other", args = {} }: BinaryOp = BINARY[fn] ?? { op: `${fn}.Tensor` };
  return b.tensor(`aten::${op}` as string, { self: of(x), [second]: of(y), ...args });
}

/** The value of a constant as a Python number of its kind. */
function numberOf({ value, dtype }: TypedExpr & { readonly kind: "const" }): Scalar {
  return isFloat(dtype) ? { float: Number(value) } : value;
}
