import { roundHalfEven } from "@pt2/format";
import {
  add,
  asNumber,
  finite,
  floorDiv,
  less,
  mod,
  mul,
  type PyNumber,
  type PyValue,
  pow,
  toFloat,
  trueDiv,
} from "./python-number.ts";

type Fn = (...args: readonly PyValue[]) => PyValue;

/** A function of two numbers. */
function binary(f: (a: PyNumber, b: PyNumber) => PyValue): Fn {
  return (a, b) => f(asNumber(a!), asNumber(b!));
}

/** An associative function of any number of numbers. */
function nary(start: PyNumber | null, f: (a: PyNumber, b: PyNumber) => PyNumber): Fn {
  return (...args) => {
    const numbers = args.map(asNumber);
    return start === null ? numbers.reduce(f) : numbers.reduce(f, start);
  };
}

/** A function of floats, which raises as Python's where no real number is the answer. */
function real(f: (x: number) => number): Fn {
  return (x) => finite(f(toFloat(x!)), x!);
}

/** A float function whose result is an int; ints pass unchanged. */
function toInt(f: (x: number) => number): Fn {
  return (x) => {
    const value = asNumber(x!);
    return typeof value === "bigint" ? value : BigInt(f(value));
  };
}

const relation = (holds: (a: PyNumber, b: PyNumber) => boolean): Fn => binary(holds);
const ceilDiv = (a: PyNumber, b: PyNumber): PyNumber => mul(-1n, floorDiv(mul(-1n, a), b));
const max = (a: PyNumber, b: PyNumber): PyNumber => (less(a, b) ? b : a);
const min = (a: PyNumber, b: PyNumber): PyNumber => (less(b, a) ? b : a);

/** Rounds to `digits` decimals: what lies exactly between two, an odd multiple of 2 ** -(digits + 1), to the even one. */
function roundDecimal(x: PyNumber, digits: PyNumber): PyNumber {
  if (typeof x === "bigint") return x;
  const places = Number(digits);
  const isBetween = Math.abs((x * 2 ** (places + 1)) % 2) === 1;
  return isBetween ? roundHalfEven(x * 10 ** places) / 10 ** places : Number(x.toFixed(places));
}

/** Takes `(sizes…, strides…)` and returns 1 if they describe memory without gaps or overlap, else 0. */
const isNonOverlappingAndDense: Fn = (...args) => {
  const rank = args.length / 2;
  const dims = args.slice(0, rank).map((size, i) => [asNumber(size), asNumber(args[rank + i]!)] as const);
  const ordered = dims.filter(([size]) => size > 1n).sort(([, a], [, b]) => (a < b ? -1 : Number(a > b)));
  if (dims.some(([size]) => size < 1n)) return 1n;
  let expected: PyNumber = 1n;
  for (const [size, stride] of ordered) {
    if (stride !== expected) return 0n;
    expected = mul(expected, size);
  }
  return 1n;
};

const MATH = [
  ...["sqrt", "cos", "cosh", "sin", "sinh", "tan", "tanh"],
  ...["asin", "acos", "atan", "asinh", "exp", "log", "log2"],
] as ("sqrt" | "log2")[];

const mathFunctions = MATH.flatMap((name): [string, Fn][] => [
  [name, real(Math[name])],
  [`OpaqueUnaryFn_${name}`, real(Math[name])],
]);

/** sympy's functions and PyTorch's additions, on Python values. */
export const SYM_FUNCTIONS: ReadonlyMap<string, Fn> = new Map<string, Fn>([
  ["Add", nary(0n, add)],
  ["Mul", nary(1n, mul)],
  ["Max", nary(null, max)],
  ["Min", nary(null, min)],
  ["Abs", (x) => (asNumber(x!) < 0n ? mul(-1n, asNumber(x!)) : asNumber(x!))],
  ["Pow", binary(pow)],
  ["PowByNatural", binary(pow)],
  ["FloatPow", (a, b) => pow(toFloat(a!), toFloat(b!))],
  ["FloorDiv", binary(floorDiv)],
  ["CleanDiv", binary(floorDiv)],
  ["CeilDiv", binary(ceilDiv)],
  ["Mod", binary(mod)],
  ["PythonMod", binary(mod)],
  ["ModularIndexing", (a, b, c) => mod(floorDiv(asNumber(a!), asNumber(b!)), asNumber(c!))],
  ["IntTrueDiv", binary(trueDiv)],
  ["FloatTrueDiv", (a, b) => toFloat(a!) / toFloat(b!)],
  ["Rational", binary(trueDiv)],
  ["LShift", binary((a, b) => mul(a, pow(2n, b)))],
  ["RShift", binary((a, b) => floorDiv(a, pow(2n, b)))],
  ["BitwiseFn_bitwise_and", binary((a, b) => BigInt(a) & BigInt(b))],
  ["BitwiseFn_bitwise_or", binary((a, b) => BigInt(a) | BigInt(b))],
  ["BitwiseFn_bitwise_xor", binary((a, b) => BigInt(a) ^ BigInt(b))],
  ["ToFloat", real((x) => x)],
  ["TruncToFloat", real(Math.trunc)],
  ["TruncToInt", toInt(Math.trunc)],
  ["FloorToInt", toInt(Math.floor)],
  ["floor", toInt(Math.floor)],
  ["CeilToInt", toInt(Math.ceil)],
  ["ceiling", toInt(Math.ceil)],
  ["RoundToInt", toInt(roundHalfEven)],
  ["RoundDecimal", binary(roundDecimal)],
  ["Identity", (x) => x!],
  ["Where", (condition, a, b) => (condition ? a! : b!)],
  ["ITE", (condition, a, b) => (condition ? a! : b!)],
  ["GreaterThan", relation((a, b) => a >= b)],
  ["LessThan", relation((a, b) => a <= b)],
  ["StrictGreaterThan", relation((a, b) => a > b)],
  ["StrictLessThan", relation((a, b) => a < b)],
  // biome-ignore lint/suspicious/noDoubleEquals: compares an int (bigint) with a float (number) by value, as Python does
  ["Equality", relation((a, b) => a == b)],
  // biome-ignore lint/suspicious/noDoubleEquals: as above
  ["Unequality", relation((a, b) => a != b)],
  ["And", (...args) => args.every(Boolean)],
  ["Or", (...args) => args.some(Boolean)],
  ["Not", (x) => !x],
  ["IsNonOverlappingAndDenseIndicator", isNonOverlappingAndDense],
  ...mathFunctions,
]);
