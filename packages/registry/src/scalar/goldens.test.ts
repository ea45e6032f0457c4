import { readFileSync } from "node:fs";
import { DTYPES, type DType } from "@pt2/format";
import { describe, expect, test } from "vitest";
import { scalar as s } from "./build.ts";
import { evaluate } from "./evaluate.ts";
import type { BinaryFn, ScalarExpr, UnaryFn } from "./expr.ts";
import { isComparison, type ScalarValue, typeExpr } from "./typed.ts";

interface Case {
  readonly fn: UnaryFn | BinaryFn | "cast";
  readonly dtype: DType;
  readonly to?: DType;
  /** Positions in the lists of the file. */
  readonly x: number;
  readonly y?: number;
  readonly out: number;
}

const file = new URL("./functions.golden.json", import.meta.url);
const { cases, lists } = JSON.parse(readFileSync(file, "utf8")) as {
  readonly cases: readonly Case[];
  readonly lists: readonly string[];
};

const list = (id: number, dtype: DType): readonly ScalarValue[] =>
  (lists[id] as string).split(" ").map((text) => parse(dtype, text));

function parse(dtype: DType, text: string): ScalarValue {
  if (text === "True" || text === "False") return text === "True";
  if (dtype === "int64") return BigInt(text);
  return Number(text.replace("inf", "Infinity").replace("nan", "NaN"));
}

/**
 * PyTorch's kernels are a few units in the last place off the correctly rounded value; its float16 results are exact.
 */
const ULP: { readonly [D in DType]?: number } = { float32: 2 ** -21, float64: 2 ** -49 };
const LOOSE: ReadonlySet<string> = new Set(["erfinv", "lgamma", "digamma"]);

function agrees(actual: ScalarValue, expected: ScalarValue, tolerance: number, zeros: "any" | "exact"): boolean {
  if (Object.is(actual, expected)) return true;
  // PyTorch does not define which zero min and max return, and its kernels differ.
  if (actual === expected) return zeros === "any";
  if (typeof actual !== "number" || typeof expected !== "number" || Number.isNaN(actual)) return false;
  return expected !== 0 && Math.abs(actual - expected) <= tolerance * Math.abs(expected);
}

function build(golden: Case): ScalarExpr {
  if (golden.fn === "cast") return s.cast(golden.to as DType, s.input(0));
  if (golden.y === undefined) return s[golden.fn as UnaryFn](s.input(0));
  return s[golden.fn as BinaryFn](s.input(0), s.input(1));
}

describe.each(["cast", ...new Set(cases.map(({ fn }) => fn))] as const)("%s is PyTorch's", (fn) => {
  test.each(
    cases.filter((golden) => golden.fn === fn).map((golden) => [golden.dtype, golden.to ?? "", golden] as const),
  )("%s %s", (dtype, _to, golden) => {
    const boolean = golden.y !== undefined && isComparison(golden.fn as BinaryFn);
    const result = golden.to ?? (boolean || fn === "isnan" || fn === "isinf" ? "bool" : dtype);
    const typed = typeExpr(build(golden), { compute: dtype, operands: [dtype, dtype], result });
    const tolerance =
      DTYPES[result].kind === "float" && fn !== "cast" ? (ULP[result] ?? 0) * (LOOSE.has(fn) ? 32 : 1) : 0;
    const [xs, ys, outs] = [list(golden.x, dtype), list(golden.y ?? golden.x, dtype), list(golden.out, result)];
    const wrong = xs.flatMap((x, i) => {
      const inputs = [x, ys[i] as ScalarValue];
      const expected = outs[i] as ScalarValue;
      const actual = evaluate(typed, inputs);
      return agrees(actual, expected, tolerance, fn === "min" || fn === "max" ? "any" : "exact")
        ? []
        : [`${fn}(${inputs.join(", ")}) = ${actual}, PyTorch ${expected}`];
    });
    expect(wrong).toEqual([]);
  });
});
