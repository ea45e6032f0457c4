import { scalar as s, typeExpr, UNARY_FNS } from "@pt2/registry/scalar";
import { expect, test } from "vitest";
import { describeWithDevice } from "../device.test-helper.ts";
import { FLOAT32_MAX, f32Literal } from "./literal.ts";
import { scalarFunction } from "./scalar.ts";
import { withHelpers } from "./with-helpers.ts";

test("a shader gets the helpers that it names and what they need, once", async () => {
  const text = await withHelpers("let y = tan_f32(x) + sin_f32(x) + tan_f32(tangent);");
  const declared = [...text.matchAll(/(?:fn|const) (\w+)/g)].map(([, name]) => name);
  expect(new Set(declared).size).toBe(declared.length);
  expect(declared).toEqual(expect.arrayContaining(["tan_f32", "sin_f32", "quarter_turns", "two_over_pi", "f32_bits"]));
  expect(declared).not.toContain("exp_f32");
  expect(await withHelpers("let x = 0f;")).toBe("let x = 0f;");
});

test("literals are the nearest float32, and never a constant that WGSL refuses", () => {
  expect([0, 1, -2.5, 0.1, 1e-7, 3.4028234663852886e38].map(f32Literal)).toEqual([
    "0f",
    "1f",
    "-2.5f",
    "0.100000001f",
    "1.00000001e-7f",
    "3.4028234663852886e+38f",
  ]);
  expect([-0, 1 / 0, -1 / 0, 1e39].map(f32Literal)).toEqual([
    "f32_bits(0x80000000u)",
    "f32_bits(0x7f800000u)",
    "f32_bits(0xff800000u)",
    "f32_bits(0x7f800000u)",
  ]);
});

await describeWithDevice("one shader", (device) => {
  test("one shader may use every function, and the greatest number", async () => {
    const rules = { compute: "float32", operands: ["float32"], result: "float32" } as const;
    const functions = UNARY_FNS.map((fn) => scalarFunction(`f_${fn}`, typeExpr(s[fn](s.input(0)), rules), ["float32"]));
    const most = `fn most() -> f32 { return ${f32Literal(FLOAT32_MAX)}; }`;
    const code = await withHelpers([...functions, most].join(""));
    const { messages } = await device.createShaderModule({ code }).getCompilationInfo();
    expect(messages).toEqual([]);
  });
});
