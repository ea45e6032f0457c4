import type { DType } from "@pt2/format";
import { type BinaryFn, fold, isComparison, type TypedExpr, withChildren } from "@pt2/registry/scalar";
import type { BlockNumber } from "./geometry.ts";

/** Expressions whose numbers became inputs after the tensors, and these numbers. */
export interface Lifted {
  readonly outputs: readonly TypedExpr[];
  readonly numbers: readonly BlockNumber[];
}

/** Functions whose code is the same for a constant operand and for a variable one. */
const INDIFFERENT: ReadonlySet<BinaryFn> = new Set(["add", "sub", "mul", "div"]);
/** Dtypes whose elements are the same in registers and in memory. */
const PLAIN: ReadonlySet<DType> = new Set(["float32", "float64", "int32", "int64"]);

/**
 * Takes numbers out of expressions, so that expressions which differ only in numbers are one kernel: a program has few
 * structures, but may have as many numbers as nodes. One number stays, because code next to it may have a special form.
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
