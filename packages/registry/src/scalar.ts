export { BINARY_FNS, type ScalarBuilders, scalar, UNARY_FNS } from "./scalar/build.ts";
export { convert } from "./scalar/convert.ts";
export { differentiate } from "./scalar/differentiate.ts";
export { evaluate } from "./scalar/evaluate.ts";
export type { BinaryFn, ScalarExpr, ScalarOperand, UnaryFn } from "./scalar/expr.ts";
export { FLOAT_UNARY, type FloatBinaryFn, type FloatUnaryFn, floatBinary } from "./scalar/functions.ts";
export { embeds, simplify } from "./scalar/simplify.ts";
export { castTo, isComparison, type ScalarValue, type TypedExpr, type TypeRules, typeExpr } from "./scalar/typed.ts";
export { fold, inputsOf, keyOf, substitute, withChildren } from "./scalar/walk.ts";
