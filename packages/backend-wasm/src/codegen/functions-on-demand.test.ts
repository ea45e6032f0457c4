import { NotLoaded } from "@pt2/registry/on-demand";
import { type ScalarExpr, scalar as s, typeExpr } from "@pt2/registry/scalar";
import { expect, test } from "vitest";
import { createElementwiseCompiler, type ElementwiseCompiler, type ElementwiseKernel } from "./compiler.ts";
import { vectorFunctions } from "./math-imports.ts";

const memory = new WebAssembly.Memory({ initial: 1 });

function add(compiler: ElementwiseCompiler, expr: ScalarExpr): ElementwiseKernel {
  const rules = { compute: "float32", operands: ["float32"], result: "float32" } as const;
  return compiler.add({ inputs: ["float32"], outputs: [typeExpr(expr, rules)], inner: ["unit", "unit"], numbers: [] });
}

test("functions that are seldom used load with the first kernel that calls one, and not with others", async () => {
  const compiler = createElementwiseCompiler(memory);
  for (const fn of ["exp", "log", "sin", "tanh", "erf", "sqrt"] as const) add(compiler, s[fn](s.input(0)));
  await compiler.buildAsync();
  expect(vectorFunctions).toThrow(NotLoaded);
  const kernel = add(compiler, s.atan(s.input(0)));
  expect(() => compiler.build()).toThrow(NotLoaded);
  await compiler.buildAsync();
  expect(vectorFunctions()["atan.f32x4"]).toBeDefined();
  expect(() => kernel.run(0, 0, 0)).not.toThrow();
});
