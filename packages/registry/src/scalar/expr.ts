import type { DType } from "@pt2/format";

/** The functions of one operand. `rsqrt`, `sigmoid` and others are compositions, see `scalar/build.ts`. */
export type UnaryFn =
  | "neg"
  | "abs"
  | "sign"
  | "ceil"
  | "floor"
  | "trunc"
  | "round"
  | "sqrt"
  | "exp"
  | "exp2"
  | "expm1"
  | "log"
  | "log2"
  | "log10"
  | "log1p"
  | "sin"
  | "cos"
  | "tan"
  | "asin"
  | "acos"
  | "atan"
  | "sinh"
  | "cosh"
  | "tanh"
  | "asinh"
  | "acosh"
  | "atanh"
  | "erf"
  | "erfc"
  | "erfinv"
  | "lgamma"
  | "digamma"
  /** Logical not on bool, bitwise not on integers. */
  | "not"
  | "isnan"
  | "isinf";

/**
 * The functions of two operands. `min` and `max` propagate NaN. `floordiv` and `mod` follow Python (towards negative
 * infinity, sign of the divisor), `fmod` and `truncdiv` follow C. `and`/`or`/`xor` are bitwise on integers.
 */
export type BinaryFn =
  | "add"
  | "sub"
  | "mul"
  | "div"
  | "floordiv"
  | "truncdiv"
  | "mod"
  | "fmod"
  | "pow"
  | "atan2"
  | "min"
  | "max"
  | "eq"
  | "ne"
  | "lt"
  | "le"
  | "gt"
  | "ge"
  | "and"
  | "or"
  | "xor"
  | "shl"
  | "shr"
  | "copysign"
  | "hypot"
  | "nextafter";

/**
 * The expression that an elementwise op computes for one element. Everything is evaluated in the op's compute dtype,
 * except that comparisons and `isnan`/`isinf` return bool and `cast` changes the dtype of its operand.
 */
export type ScalarExpr =
  /** The element of the n-th tensor operand, converted to the compute dtype (bool operands of `select` stay bool). */
  | {
      readonly kind: "input";
      readonly index: number;
      /** For a runtime scalar: reads its value, after which the compiled program is valid for this value only. */
      readonly fix?: () => number;
    }
  /** A literal, converted to the compute dtype. */
  | { readonly kind: "const"; readonly value: number | bigint | boolean }
  | { readonly kind: "unary"; readonly fn: UnaryFn; readonly x: ScalarExpr }
  | { readonly kind: "binary"; readonly fn: BinaryFn; readonly x: ScalarExpr; readonly y: ScalarExpr }
  /** `c ? x : y`, where c is nonzero or true. */
  | { readonly kind: "select"; readonly c: ScalarExpr; readonly x: ScalarExpr; readonly y: ScalarExpr }
  /**
   * A conversion with the semantics of `Tensor.to`. A direct operand of kind `input` is converted from its own dtype,
   * not from the compute dtype.
   */
  | { readonly kind: "cast"; readonly to: DType; readonly x: ScalarExpr };

/** An operand: a number is accepted wherever an expression is. */
export type ScalarOperand = ScalarExpr | number | bigint | boolean;
