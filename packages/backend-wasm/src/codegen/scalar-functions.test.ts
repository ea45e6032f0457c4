import { distance, isDivision, type Operand, samples, typedFunction as typed } from "@pt2/conformance";
import { DTYPES as DTYPE_FACTS, type DType } from "@pt2/format";
import {
  BINARY_FNS,
  type BinaryFn,
  type ScalarValue,
  scalar as s,
  type TypedExpr,
  typeExpr,
  UNARY_FNS,
  type UnaryFn,
} from "@pt2/registry/scalar";
import { randomUnit } from "@pt2/testing/random";
import { describe, expect, test } from "vitest";
import type { InnerMode } from "./geometry.ts";
import { runKernel, runReference } from "./group.test-helper.ts";

const DTYPES: readonly DType[] = [
  "float32",
  "float64",
  "float16",
  "bfloat16",
  "int8",
  "uint8",
  "int16",
  "int32",
  "int64",
  "bool",
];
const COUNT = 111;

/** Makes an operand that yields `values` when the inner dimension is walked in the given way. */
function operand(dtype: DType, mode: InnerMode, random: () => number): Operand {
  const step = mode === "unit" ? 1 : mode === "zero" ? 0 : 3;
  return { dtype, data: samples(dtype, COUNT * Math.max(step, 1), random), strides: [step] };
}

/** The errors of sin and cos are absolute: near their zeros no short reduction keeps relative precision. */
const ABSOLUTE: ReadonlySet<string> = new Set(["sin", "cos"]);

/** Integers are not divided by zero. */
function divisor(value: ScalarValue): ScalarValue {
  return value === 0n ? 3n : Object.is(value, 0) ? 3 : value;
}

function check(fn: string, expr: TypedExpr, operands: readonly Operand[]): void {
  const group = { shape: [COUNT], operands, outputs: [expr] };
  const [[actual], [expected]] = [runKernel(group), runReference(group)];
  const wrong = expected?.flatMap((value, i) => {
    const got = actual?.[i] as typeof value;
    const near = ABSOLUTE.has(fn) && Math.abs(Number(got) - Number(value)) < 3e-7;
    const from = operands.map(({ data, strides }) => data[i * (strides[0] as number)]);
    const ulps = distance(got, value, expr.dtype);
    return near || ulps <= 4 ? [] : [`${fn}(${from.join(", ")}) = ${got}, not ${value}, ${ulps} ulp`];
  });
  expect(wrong).toEqual([]);
}

const unary = (fn: UnaryFn, dtype: DType): TypedExpr | null => typed(s[fn](s.input(0)), dtype);
const binary = (fn: BinaryFn, dtype: DType): TypedExpr | null => typed(s[fn](s.input(0), s.input(1)), dtype);

const FOR_INTEGERS_ONLY = ["and", "or", "xor", "shl", "shr"];
const FOR_FLOATS_ONLY = [
  ...["sqrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p"],
  ...["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"],
  ...["erf", "erfc", "erfinv", "lgamma", "digamma", "div", "atan2", "copysign", "hypot", "nextafter"],
];
const NOT_FOR_BOOLS = ["neg", "sub", "floordiv", "truncdiv", "mod", "fmod", "pow", "shl", "shr"];

test.each(DTYPES)("every function exists for %s, except those that have no meaning there", (dtype) => {
  const isMissing = {
    unary: UNARY_FNS.filter((fn) => unary(fn, dtype) === null),
    binary: BINARY_FNS.filter((fn) => binary(fn, dtype) === null),
  };
  const { kind } = DTYPE_FACTS[dtype];
  const expected =
    kind === "float" ? FOR_INTEGERS_ONLY : [...FOR_FLOATS_ONLY, ...(kind === "bool" ? NOT_FOR_BOOLS : [])];
  expect(new Set<string>([...isMissing.unary, ...isMissing.binary])).toEqual(new Set(expected));
});

describe.each(DTYPES)("a generated kernel computes what the reference evaluator computes, in %s:", (dtype) => {
  test.each(UNARY_FNS.filter((fn) => unary(fn, dtype) !== null))("%s", (fn) => {
    const expr = unary(fn, dtype)!;
    for (const mode of ["unit", "zero", "strided"] as const) {
      check(fn, expr, [operand(dtype, mode, randomUnit(1))]);
    }
  });

  test.each(BINARY_FNS.filter((fn) => binary(fn, dtype) !== null))("%s", (fn) => {
    const expr = binary(fn, dtype)!;
    for (const [a, b] of [
      ["unit", "unit"],
      ["unit", "zero"],
      ["zero", "unit"],
      ["strided", "unit"],
    ] as const) {
      const [x, y] = [operand(dtype, a, randomUnit(2)), operand(dtype, b, randomUnit(3))];
      // The order is reversed, so that special values meet others.
      check(fn, expr, [
        x,
        { ...y, data: y.data.toReversed().map((value) => (isDivision(fn) ? divisor(value) : value)) },
      ]);
    }
  });

  test.each(DTYPES)("to %s", (to) => {
    const expr = typeExpr(s.cast(to, s.input(0)), { compute: dtype, operands: [dtype], result: to });
    for (const mode of ["unit", "zero", "strided"] as const)
      check(`to ${to}`, expr, [operand(dtype, mode, randomUnit(4))]);
  });

  test("select", () => {
    const expr = typeExpr(s.select(s.input(0), s.input(1), s.input(2)), {
      compute: dtype,
      operands: ["bool", dtype, dtype],
      result: dtype,
    });
    check("select", expr, [
      operand("bool", "unit", randomUnit(5)),
      operand(dtype, "unit", randomUnit(6)),
      operand(dtype, "zero", randomUnit(7)),
    ]);
  });
});
