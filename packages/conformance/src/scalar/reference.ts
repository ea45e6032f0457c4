import type { DType } from "@pt2/format";
import { numel } from "@pt2/format";
import { evaluate, type ScalarValue, type TypedExpr } from "@pt2/registry/scalar";

/** The strides and the offset with which an iteration space reads a storage. */
export interface Walk {
  readonly strides: readonly number[];
  readonly offset?: number;
}

/** An operand: a storage, and how the iteration space reads it. */
export interface Operand extends Walk {
  readonly dtype: DType;
  readonly data: readonly ScalarValue[];
}

/** Evaluates an expression in row-major order, by the definition of the scalar language. */
export function evaluateAll(
  expr: TypedExpr,
  operands: readonly Operand[],
  shape: readonly number[],
): readonly ScalarValue[] {
  const at = operands.map((operand) => positions(shape, operand));
  const count = numel(shape);
  return Array.from({ length: count }, (_, i) =>
    evaluate(
      expr,
      operands.map(({ data }, k) => data[at[k]![i]!]!),
    ),
  );
}

/** Returns the positions in a storage that an iteration space visits, in row-major order. */
export function positions(shape: readonly number[], { strides, offset = 0 }: Walk): readonly number[] {
  return shape.reduce<number[]>(
    (list, size, d) => list.flatMap((at) => Array.from({ length: size }, (_, i) => at + i * strides[d]!)),
    [offset],
  );
}
