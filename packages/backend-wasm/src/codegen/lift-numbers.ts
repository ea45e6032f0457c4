import type { DType } from "@pt2/format";
import { type BinaryFn, fold, isComparison, type TypedExpr, withChildren } from "@pt2/registry/scalar";
import type { BlockNumber } from "./geometry.ts";

/** Expressions whose numbers are inputs behind those that they had, and the numbers. */
export interface Lifted {
  readonly outputs: readonly TypedExpr[];
  readonly numbers: readonly BlockNumber[];
}

/** Functions whose code is the same for a constant operand and for a variable one. */
const INDIFFERENT: ReadonlySet<BinaryFn> = new Set(["add", "sub", "mul", "div"]);
/** Dtypes that lie in registers as they lie in memory. */
const PLAIN: ReadonlySet<DType> = new Set(["float32", "float64", "int32", "int64"]);

/**
 * Takes numbers out of expressions, so that those which differ in numbers alone are one kernel: a program has few
 * structures, but may have as many numbers as nodes. One stays, because what is beside it may have a form of its own.
 */
export function liftNumbers(outputs: readonly TypedExpr[], inputs: number): Lifted {
  const numbers: BlockNumber[] = [];
  const operand = (node: TypedExpr, lifted: TypedExpr): TypedExpr => {
    if (node.kind !== "const" || !PLAIN.has(node.dtype) || Number(node.value) === 1) return lifted;
    const index = inputs + numbers.push({ dtype: node.dtype, value: node.value }) - 1;
    return { kind: "input", dtype: node.dtype, index };
  };
  const lifted = fold<TypedExpr>(outputs, (node, of) => {
    if (node.kind !== "binary" || !(INDIFFERENT.has(node.fn) || isComparison(node.fn))) return withChildren(node, of);
    return withChildren(node, (child) => operand(child, of(child)));
  });
  return { outputs: lifted, numbers };
}
