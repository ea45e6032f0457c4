// Which labels an einsum has is a rule about text; no page loads it before an op needs it.
export { type EinsumEquation, parseEquation } from "./aten/matmul/einsum-equation.ts";
export { isBareUnsigned } from "./dtype-promotion.ts";
export { BINARY_FNS, type ScalarBuilders, scalar, UNARY_FNS } from "./scalar/build.ts";
export { convert } from "./scalar/convert.ts";
export { differentiate } from "./scalar/differentiate.ts";
export { evaluate } from "./scalar/evaluate.ts";
export type { BinaryFn, ScalarExpr, ScalarOperand, UnaryFn } from "./scalar/expr.ts";
export { ELEMENTARY, type FloatBinaryFn, type FloatUnaryFn, floatBinary } from "./scalar/functions.ts";
export { digamma, lgamma } from "./scalar/gamma.ts";
export { polynomial } from "./scalar/polynomial.ts";
export { embeds, simplify } from "./scalar/simplify.ts";
export { FLOAT_UNARY } from "./scalar/special-functions.ts";
export { castTo, isComparison, type ScalarValue, type TypedExpr, type TypeRules, typeExpr } from "./scalar/typed.ts";
export { fold, inputsOf, keyOf, substitute, withChildren } from "./scalar/walk.ts";
