import type { DType } from "@pt2/format";
import { describe, expect, test } from "vitest";
import { scalar as s } from "./build.ts";
import { differentiate } from "./differentiate.ts";
import { evaluate } from "./evaluate.ts";
import type { ScalarExpr } from "./expr.ts";
import { simplify } from "./simplify.ts";
import { type TypedExpr, typeExpr } from "./typed.ts";
import { inputsOf, keyOf, substitute } from "./walk.ts";

const [x, y] = [s.input(0), s.input(1)];

function typed(expr: ScalarExpr, dtype: DType = "float32"): TypedExpr {
  return typeExpr(expr, { compute: dtype, operands: [dtype, dtype, dtype], result: dtype });
}

describe("typeExpr", () => {
  test("typeExpr computes half precision in float32 and rounds the result", () => {
    expect(keyOf(typed(s.add(x, 1), "float16"))).toBe(
      "float16 in0;float32 cast 0;float32 1;float32 add 1 2;float16 cast 3>4",
    );
  });
  test("typeExpr keeps bools of comparisons where they are combined", () => {
    const expr = typeExpr(s.and(s.gt(x, 0), s.lt(x, 6)), { compute: "int64", operands: ["int64"], result: "bool" });
    expect(keyOf(expr)).toBe("int64 in0;int64 0;bool gt 0 1;int64 6;bool lt 0 3;bool and 2 4>5");
  });
  test.each([
    [s.sub(x, y), "bool"],
    [s.exp(x), "int64"],
    [s.div(x, y), "int32"],
    [s.shl(x, y), "float32"],
    [s.input(7), "float32"],
    [s.neg(x), "complex64"],
  ] as const)("refuses what the dtype does not have: %j", (expr, dtype) => {
    expect(() => typed(expr, dtype)).toThrow(expect.objectContaining({ code: "registry.scalar-dtype" }));
  });
});

describe("typeExpr says what to do", () => {
  test.each([
    [s.neg(x), "`neg` is not supported on bool tensors", "Call `logical_not`"],
    [s.sub(x, y), "`sub` is not supported on bool tensors", "Call `logical_xor`"],
    [s.mod(x, y), "`mod` is not supported on bool tensors", "Convert to another dtype"],
  ] as const)("%j", (expr, what, advice) => {
    expect(() => typed(expr, "bool")).toThrow(
      expect.objectContaining({ what, advice: expect.stringContaining(advice) as string }),
    );
  });
});

describe("substitute", () => {
  test("substitute fuses a chain without copying operands that are used often", () => {
    let chain = typed(s.add(s.square(x), x));
    const step = chain;
    for (let i = 0; i < 40; i++) chain = substitute(step, () => chain);
    expect(keyOf(chain).split(";")).toHaveLength(1 + 2 * 41);
    expect(inputsOf(chain)).toEqual([0]);
  });
  test("substitute refuses another dtype", () => {
    expect(() => substitute(typed(x), () => typed(x, "float64"))).toThrow(/operand 0 is float32/);
  });
});

describe("simplify", () => {
  const cases: readonly (readonly [expr: ScalarExpr, key: string, dtype?: DType])[] = [
    [s.mul(x, 1), "float32 in0>0"],
    [s.add(x, -0), "float32 in0>0"],
    [s.add(x, 0), "float32 in0;float32 0;float32 add 0 1>2"],
    [s.sub(x, 0), "float32 in0>0"],
    [s.add(x, 0), "int64 in0>0", "int64"],
    [s.div(x, 8), "float32 in0;float32 0.125;float32 mul 0 1>2"],
    [s.div(x, 3), "float32 in0;float32 3;float32 div 0 1>2"],
    [s.pow(x, 2), "float32 in0;float32 mul 0 0>1"],
    [s.pow(x, 0.5), "float32 in0;float32 sqrt 0>1"],
    [s.neg(s.neg(x)), "float32 in0>0"],
    [s.add(s.lit(1), s.mul(2, 3)), "float32 7>0"],
    [s.add(0.1, 0.2), `float32 ${Math.fround(Math.fround(0.1) + Math.fround(0.2))}>0`],
    [s.add(127, 1), "int8 -128>0", "int8"],
    [s.select(s.lit(true), x, y), "float32 in0>0"],
    [s.cast("float32", s.cast("float64", x)), "float32 in0>0"],
    [s.cast("float32", s.cast("int32", x)), "float32 in0;int32 cast 0;float32 cast 1>2"],
    [s.floordiv(1, 0), "int64 1;int64 0;int64 floordiv 0 1>2", "int64"],
  ];
  for (const [expr, key, dtype] of cases) {
    test(key, () => expect(keyOf(simplify(typed(expr, dtype)))).toBe(key));
  }
});

describe("differentiate", () => {
  const at = (expr: ScalarExpr, ...values: number[]): number => evaluate(typed(expr, "float64"), values) as number;
  const smooth: readonly (readonly [string, ScalarExpr, number])[] = [
    ["sigmoid", s.sigmoid(x), 0.7],
    ["silu", s.mul(x, s.sigmoid(x)), -1.3],
    ["gelu", s.mul(s.mul(x, 0.5), s.add(1, s.erf(s.mul(x, Math.SQRT1_2)))), 0.4],
    ["tanh of log", s.tanh(s.log(x)), 1.9],
    ["pow", s.pow(x, y), 2.3],
    ["exponent", s.pow(y, x), 1.4],
    ["quotient", s.div(y, s.add(s.square(x), 1)), 0.6],
    ["atan2", s.atan2(x, y), 0.3],
    ["hypot", s.hypot(x, y), 0.9],
    ["lgamma", s.lgamma(x), 3.4],
    ["erfinv", s.erfinv(x), 0.3],
    ["select", s.select(s.gt(x, 0), s.sin(x), s.exp(x)), -0.4],
    ["rsqrt", s.rsqrt(x), 2.1],
    ["mod", s.mod(x, y), 4.1],
    ...(
      [
        "sqrt",
        "exp2",
        "expm1",
        "log2",
        "log10",
        "log1p",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "asinh",
        "atanh",
        "erfc",
      ] as const
    ).map((fn) => [fn, s[fn](x), 0.37] as const),
  ];
  test.each(smooth)("the derivative of %s agrees with a difference quotient", (_, expr, value) => {
    const h = 1e-6;
    const quotient = (at(expr, value + h, 1.7) - at(expr, value - h, 1.7)) / (2 * h);
    expect(at(differentiate(expr, x), value, 1.7)).toBeCloseTo(quotient, 7);
  });

  const kinks: readonly (readonly [string, ScalarExpr, readonly number[], number])[] = [
    ["relu at 0", s.relu(x), [0], 0],
    ["relu above", s.relu(x), [2], 1],
    ["clamp at its bound", s.clamp(x, 0, 6), [6], 1],
    ["clamp beyond", s.clamp(x, 0, 6), [7], 0],
    ["max of equals", s.max(x, y), [3, 3], 0.5],
    ["abs at 0", s.abs(x), [0], 0],
    ["pow with exponent 0", s.pow(x, 0), [0], 0],
    ["round", s.round(x), [1.2], 0],
    ["the other operand", s.mul(y, y), [1, 2], 0],
  ];
  test.each(kinks)("the derivative at a kink is PyTorch's: %s", (_, expr, values, expected) => {
    expect(at(differentiate(expr, x), ...values)).toBe(expected);
  });

  test("an expression is differentiated with respect to an operand that is converted first", () => {
    const operand = s.cast("float16", x);
    expect(at(differentiate(s.mul(operand, s.square(operand)), operand), 3)).toBe(27);
  });

  test("differentiate names a function without a rule", () => {
    expect(() => differentiate(s.digamma(x), x)).toThrow(expect.objectContaining({ code: "registry.scalar-gradient" }));
  });
});
