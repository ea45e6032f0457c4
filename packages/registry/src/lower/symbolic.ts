import type { OpName } from "@pt2/graph";
import type { ArgValue } from "../builder.ts";
import type { FloatScalar } from "../tensor-meta.ts";

/**
 * Python's scalar functions that exported programs call on sizes and numbers. At this point all of them are concrete:
 * ints are numbers (or bigints), floats are {@link FloatScalar}s, and Python's rules say which one comes out.
 */
export function evaluateSymbolic(op: OpName, args: readonly ArgValue[]): ArgValue | undefined {
  return FUNCTIONS.get(op)?.(...args);
}

type Fn = (...args: readonly ArgValue[]) => ArgValue;

const isFloat = (x: ArgValue | undefined): x is FloatScalar => typeof x === "object" && x !== null && "float" in x;
const number = (x: ArgValue | undefined): number => (isFloat(x) ? x.float : Number(x));
const float = (value: number): FloatScalar => ({ float: value });

/** Float if one operand is, else int, as Python's arithmetic. */
const arithmetic =
  (f: (a: number, b: number) => number): Fn =>
  (a, b) => {
    const value = f(number(a), number(b));
    return isFloat(a) || isFloat(b) ? float(value) : value;
  };
const compare =
  (f: (a: number, b: number) => boolean): Fn =>
  (a, b) =>
    f(number(a), number(b));
const real =
  (f: (x: number) => number): Fn =>
  (x) =>
    float(f(number(x)));
const toInt =
  (f: (x: number) => number): Fn =>
  (x) =>
    f(number(x));

const floorDivide = (a: number, b: number): number => Math.floor(a / b);
/** The result has the sign of the divisor. */
const modulo = (a: number, b: number): number => a - b * Math.floor(a / b);
const halfEven = (x: number): number => {
  const rounded = Math.round(x);
  return Math.abs(x % 1) === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
};
/** Both operands bool: logic; else bits. */
const bitwise =
  (logic: (a: boolean, b: boolean) => boolean, bits: (a: number, b: number) => number): Fn =>
  (a, b) =>
    typeof a === "boolean" && typeof b === "boolean" ? logic(a, b) : bits(number(a), number(b));

const FUNCTIONS: ReadonlyMap<OpName, Fn> = new Map<OpName, Fn>([
  ["_operator::add", arithmetic((a, b) => a + b)],
  ["_operator::sub", arithmetic((a, b) => a - b)],
  ["_operator::mul", arithmetic((a, b) => a * b)],
  ["_operator::floordiv", arithmetic(floorDivide)],
  ["_operator::mod", arithmetic(modulo)],
  ["_operator::pow", arithmetic((a, b) => a ** b)],
  ["_operator::truediv", (a, b) => float(number(a) / number(b))],
  ["_operator::neg", (a) => (isFloat(a) ? float(-a.float) : -number(a))],
  ["_operator::pos", (a) => a!],
  ["_operator::abs", (a) => (isFloat(a) ? float(Math.abs(a.float)) : Math.abs(number(a)))],
  ["_operator::eq", compare((a, b) => a === b)],
  ["_operator::ne", compare((a, b) => a !== b)],
  ["_operator::lt", compare((a, b) => a < b)],
  ["_operator::le", compare((a, b) => a <= b)],
  ["_operator::gt", compare((a, b) => a > b)],
  ["_operator::ge", compare((a, b) => a >= b)],
  [
    "_operator::and_",
    bitwise(
      (a, b) => a && b,
      (a, b) => a & b,
    ),
  ],
  [
    "_operator::or_",
    bitwise(
      (a, b) => a || b,
      (a, b) => a | b,
    ),
  ],
  [
    "_operator::xor",
    bitwise(
      (a, b) => a !== b,
      (a, b) => a ^ b,
    ),
  ],
  ["_operator::not_", (a) => !number(a)],
  ["_operator::lshift", (a, b) => number(a) * 2 ** number(b)],
  ["_operator::rshift", (a, b) => Math.floor(number(a) / 2 ** number(b))],
  ["math::trunc", toInt(Math.trunc)],
  ["math::floor", toInt(Math.floor)],
  ["math::ceil", toInt(Math.ceil)],
  ["math::sqrt", real(Math.sqrt)],
  ["torch::_sym_sqrt", real(Math.sqrt)],
  ["torch::sym_sqrt", real(Math.sqrt)],
  ["torch::sym_int", toInt(Math.trunc)],
  ["torch::sym_float", real((x) => x)],
  ["torch::sym_not", (a) => !number(a)],
  ["torch::sym_max", arithmetic(Math.max)],
  ["torch::sym_min", arithmetic(Math.min)],
  ["torch::sym_ite", (c, t, f) => (number(c) !== 0 ? t! : f!)],
  ["torch::sym_sum", (list) => arithmeticSum(list)],
  ["builtins::round", toInt(halfEven)],
]);

function arithmeticSum(list: ArgValue | undefined): ArgValue {
  const items = Array.isArray(list) ? (list as readonly ArgValue[]) : [list!];
  const sum = items.reduce<number>((total, item) => total + number(item), 0);
  return items.some(isFloat) ? float(sum) : sum;
}
