import type { DType } from "@pt2/format";
import { evaluate, type ScalarValue, type TypedExpr } from "@pt2/registry/scalar";

/** How an iteration space walks over the elements of a storage. */
export interface Walk {
  readonly strides: readonly number[];
  readonly offset?: number;
}

/** An operand: its storage, and how the iteration space walks over it. */
export interface Operand extends Walk {
  readonly dtype: DType;
  readonly data: readonly ScalarValue[];
}

/** Values of an expression in row-major order, by the meaning of the language. */
export function evaluateAll(
  expr: TypedExpr,
  operands: readonly Operand[],
  shape: readonly number[],
): readonly ScalarValue[] {
  const at = operands.map((operand) => positions(shape, operand));
  const count = shape.reduce((a, b) => a * b, 1);
  return Array.from({ length: count }, (_, i) =>
    evaluate(
      expr,
      operands.map(({ data }, k) => data[at[k]![i]!]!),
    ),
  );
}

/** The positions in a storage that an iteration space comes by, in row-major order. */
export function positions(shape: readonly number[], { strides, offset = 0 }: Walk): readonly number[] {
  return shape.reduce<number[]>(
    (list, size, d) => list.flatMap((at) => Array.from({ length: size }, (_, i) => at + i * strides[d]!)),
    [offset],
  );
}
