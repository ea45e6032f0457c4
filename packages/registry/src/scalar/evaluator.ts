import { DTYPES, type DType } from "@pt2/format";
import { convert, toFloat } from "./convert.ts";
import type { BinaryFn, UnaryFn } from "./expr.ts";
import { type FloatBinaryFn, type FloatUnaryFn, floatBinary } from "./functions.ts";
import { type IntBinaryFn, intBinary } from "./integers.ts";
import type { ScalarValue, TypedExpr } from "./typed.ts";
import { fold } from "./walk.ts";
import { wrap } from "./wrap.ts";

/** Evaluates an expression for one element, given the values of its inputs. */
export type Evaluate = (expr: TypedExpr, inputs: readonly ScalarValue[]) => ScalarValue;

/** Implementations of functions of one operand. */
export type UnaryTable = { readonly [F in FloatUnaryFn]?: (x: number) => number };

/** Makes an evaluator for expressions whose functions are in the table. */
export function evaluator(unary: UnaryTable): Evaluate {
  return (expr, inputs) =>
    fold<ScalarValue>([expr], (node, of) => {
      switch (node.kind) {
        case "input":
          return inputs[node.index] as ScalarValue;
        case "const":
          return convert(node.dtype, node.value);
        case "cast":
          return convert(node.dtype, of(node.x));
        case "select":
          return of(node.c) ? of(node.x) : of(node.y);
        case "unary":
          return evaluateUnary(unary, node.fn, of(node.x), node.dtype);
        case "binary":
          return evaluateBinary(node.fn, of(node.x), of(node.y), node.x.dtype);
      }
    })[0] as ScalarValue;
}

function evaluateUnary(table: UnaryTable, fn: UnaryFn, x: ScalarValue, dtype: DType): ScalarValue {
  if (fn === "isnan") return Number.isNaN(x);
  if (fn === "isinf") return Math.abs(Number(x)) === Number.POSITIVE_INFINITY;
  if (fn === "not" && typeof x === "boolean") return !x;
  if (DTYPES[dtype].kind === "float") return toFloat(dtype, table[fn as FloatUnaryFn]!(Number(x)));
  const value = BigInt(x);
  if (fn === "not") return wrap(dtype, ~value);
  if (fn === "sign") return wrap(dtype, value > 0n ? 1n : value < 0n ? -1n : 0n);
  return wrap(dtype, fn === "neg" || value < 0n ? -value : value);
}

const COMPARE: { readonly [F in BinaryFn]?: (x: ScalarValue, y: ScalarValue) => boolean } = {
  eq: (x, y) => x === y,
  ne: (x, y) => x !== y,
  lt: (x, y) => x < y,
  le: (x, y) => x <= y,
  gt: (x, y) => x > y,
  ge: (x, y) => x >= y,
};

function evaluateBinary(fn: BinaryFn, x: ScalarValue, y: ScalarValue, dtype: DType): ScalarValue {
  const compare = COMPARE[fn];
  if (compare) return compare(x, y);
  const { kind } = DTYPES[dtype];
  if (kind === "float") return floatBinary(fn as FloatBinaryFn, Number(x), Number(y), dtype);
  const result = intBinary(fn as IntBinaryFn, BigInt(x), BigInt(y), dtype);
  return kind === "bool" ? result !== 0n : wrap(dtype, result);
}
