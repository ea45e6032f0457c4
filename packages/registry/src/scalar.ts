export { BINARY_FNS, type ScalarBuilders, scalar, UNARY_FNS } from "./scalar/build.ts";
export type { BinaryFn, ScalarExpr, ScalarOperand, UnaryFn } from "./scalar/expr.ts";
