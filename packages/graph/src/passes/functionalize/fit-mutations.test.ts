import { expect, it } from "vitest";
import { parse } from "../../text/parse-program.ts";
import { printGraph } from "../../text/print-program.ts";
import { fitMutations } from "./fit-mutations.ts";

function after(body: string): readonly string[] | null {
  const program = parse(`program "ATEN" torch "2.13.0" {
  buffer "b" = %b: i32[2, 3]
  buffer "c" = %c: f32[3]
  user_input %x: i64[2, 3]
  user_input %y: f32[3]
  ${body}
}
`);
  const fitted = fitMutations(program);
  if (fitted === program) return null;
  return printGraph(fitted.graph, { origins: false })
    .split("\n")
    .slice(1, -2)
    .map((line) => line.trim());
}

it("a new value of another dtype or shape is converted and expanded, and returned so", () => {
  expect(after('return %x -> buffer_mutation "b", %x')).toEqual([
    "%x_fitted: i32[2, 3] = aten::to.dtype(%x, dtype=torch.int32)",
    "return %x_fitted, %x_fitted",
  ]);
  expect(after('return %y -> buffer_mutation "b", %x')).toEqual([
    "%y_fitted: i32[3] = aten::to.dtype(%y, dtype=torch.int32)",
    "%y_fitted_1: i32[2, 3] = aten::expand(%y_fitted, size=[2, 3])",
    "return %y_fitted_1, %x",
  ]);
});

it("new values that fit, and results that are none, stay as they are", () => {
  expect(after('return %y -> buffer_mutation "c", %x')).toBe(null);
  expect(after("return %x, %y")).toBe(null);
});
