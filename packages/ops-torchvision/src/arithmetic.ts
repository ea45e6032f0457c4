import type { Builder, TensorMeta } from "@pt2/registry";

/** An operand of an elementwise op: a tensor, or a number. */
type Operand = TensorMeta | number | { readonly float: number };

/** Short names for the ops that the rules of this package use. */
export interface Arithmetic {
  add(x: TensorMeta, y: TensorMeta | number): TensorMeta;
  sub(x: TensorMeta, y: TensorMeta | number): TensorMeta;
  mul(x: TensorMeta, y: TensorMeta | number): TensorMeta;
  div(x: TensorMeta, y: TensorMeta | number): TensorMeta;
  /** Where all conditions hold. */
  both(...conditions: readonly TensorMeta[]): TensorMeta;
  /** Where one of two conditions holds. */
  either(x: TensorMeta, y: TensorMeta): TensorMeta;
  not(condition: TensorMeta): TensorMeta;
  isNan(x: TensorMeta): TensorMeta;
  ge(x: TensorMeta, y: TensorMeta | number): TensorMeta;
  le(x: TensorMeta, y: TensorMeta | number): TensorMeta;
  gt(x: TensorMeta, y: TensorMeta | number): TensorMeta;
  lt(x: TensorMeta, y: TensorMeta | number): TensorMeta;
  eq(x: TensorMeta, y: TensorMeta | number): TensorMeta;
  abs(x: TensorMeta): TensorMeta;
  floor(x: TensorMeta): TensorMeta;
  ceil(x: TensorMeta): TensorMeta;
  trunc(x: TensorMeta): TensorMeta;
  /** To the nearest integer, and from halves away from zero, as C's `round`; finite values and NaN. */
  round(x: TensorMeta): TensorMeta;
  where(condition: TensorMeta, x: TensorMeta, y: number): TensorMeta;
  clamp(x: TensorMeta, min: number | null, max?: number | null): TensorMeta;
  /** 0, 1, … with the dtype of `like`. */
  count(end: number, like: TensorMeta): TensorMeta;
  reshape(x: TensorMeta, ...shape: readonly number[]): TensorMeta;
  permute(x: TensorMeta, ...dims: readonly number[]): TensorMeta;
  sum(x: TensorMeta, dim: number): TensorMeta;
  matmul(x: TensorMeta, y: TensorMeta): TensorMeta;
  /** `x[:, index]` of a matrix. */
  column(x: TensorMeta, index: number): TensorMeta;
  cast(x: TensorMeta, dtype: TensorMeta["dtype"]): TensorMeta;
}

/** Returns short names for the ops of `b`. */
export function arithmetic(b: Builder): Arithmetic {
  // A number has the kind of the tensor that it is combined with: it never changes its dtype.
  const operand = (x: TensorMeta, y: TensorMeta | number): Operand =>
    typeof y === "number" && x.dtype.startsWith("float") ? { float: y } : y;
  const binary =
    (op: "add" | "sub" | "mul" | "div" | "ge" | "gt" | "le" | "lt" | "eq") =>
    (self: TensorMeta, y: TensorMeta | number): TensorMeta =>
      b.tensor(`aten::${op}.Tensor`, { self, other: operand(self, y) });
  const unary =
    (op: "abs" | "floor" | "ceil" | "trunc" | "isnan" | "logical_not") =>
    (self: TensorMeta): TensorMeta =>
      b.tensor(`aten::${op}`, { self });
  const [add, sub, mul, ge] = [binary("add"), binary("sub"), binary("mul"), binary("ge")];
  const [floor, abs] = [unary("floor"), unary("abs")];
  const cast = (self: TensorMeta, dtype: TensorMeta["dtype"]): TensorMeta =>
    self.dtype === dtype ? self : b.tensor("aten::_to_copy", { self, dtype });
  return {
    add,
    sub,
    mul,
    div: binary("div"),
    ge,
    le: binary("le"),
    gt: binary("gt"),
    lt: binary("lt"),
    eq: binary("eq"),
    abs,
    floor,
    ceil: unary("ceil"),
    trunc: unary("trunc"),
    // Not the floor of x + 0.5, a sum that rounds: up to 1 where x is next to 0.5.
    round(x) {
      const size = abs(x);
      const whole = floor(size);
      const rounded = add(whole, cast(ge(sub(size, whole), 0.5), x.dtype));
      return mul(b.tensor("aten::sign", { self: x }), rounded);
    },
    both: (...conditions) => conditions.reduce((self, other) => b.tensor("aten::logical_and", { self, other })),
    either: (self, other) => b.tensor("aten::logical_or", { self, other }),
    not: unary("logical_not"),
    isNan: unary("isnan"),
    where: (condition, self, other) => b.tensor("aten::where.self", { condition, self, other: operand(self, other) }),
    clamp: (self, min, max = null) =>
      b.tensor("aten::clamp", {
        self,
        min: min === null ? null : { float: min },
        max: max === null ? null : { float: max },
      }),
    count: (end, { dtype }) => b.tensor("aten::arange", { end, dtype }),
    reshape: (self, ...shape) => b.tensor("aten::reshape", { self, shape }),
    permute: (self, ...dims) => b.tensor("aten::permute", { self, dims }),
    sum: (self, dim) => b.tensor("aten::sum.dim_IntList", { self, dim: [dim] }),
    matmul: (self, other) => b.tensor("aten::matmul", { self, other }),
    column: (self, index) => b.tensor("aten::select.int", { self, dim: 1, index }),
    cast,
  };
}
