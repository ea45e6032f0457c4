import { expect, it } from "vitest";
import { program } from "../program.test-helper.ts";
import { printGraph } from "../text/print-program.ts";
import { validate } from "../validate/validate.ts";
import { hasDefaultDtypes } from "./default-dtypes.ts";
import { nameDefaultDtypes } from "./name-default-dtypes.ts";

const lines = (body: string): readonly string[] => {
  const before = program(`user_input %i: i64[3]\nuser_input %m: bool[3]\nuser_input %x: f64[3]\n${body}\nreturn %y`);
  expect(hasDefaultDtypes(before.graph)).toBe(true);
  const after = nameDefaultDtypes(before);
  expect(validate(after)).toEqual([]);
  return printGraph(after.graph)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("%") && line.includes(" = "));
};

it.each([
  [
    "what creates a tensor",
    "%y: f64[3] = aten::ones(size=[3])",
    ["%y: f64[3] = aten::ones(size=[3], dtype=torch.float64)"],
  ],
  [
    "what computes floats from integers",
    "%y: f64[3] = aten::div.Tensor(%i, other=2)",
    ["%i_float: f64[3] = aten::_to_copy(%i, dtype=torch.float64)", "%y: f64[3] = aten::div.Tensor(%i_float, other=2)"],
  ],
  [
    "what computes complex numbers from integers",
    "%y: c128[3] = aten::mul.Tensor(%i, other=complex(0.0, 1.0))",
    [
      "%i_float: f64[3] = aten::_to_copy(%i, dtype=torch.float64)",
      "%y: c128[3] = aten::mul.Tensor(%i_float, other=complex(0.0, 1.0))",
    ],
  ],
  [
    "a choice of numbers",
    "%y: bf16[3] = aten::where.ScalarOther(condition=%m, self=%i, other=0.5)",
    [
      "%i_float: bf16[3] = aten::_to_copy(%i, dtype=torch.bfloat16)",
      "%number: bf16[] = aten::scalar_tensor(s=0.5, dtype=torch.bfloat16)",
      "%y: bf16[3] = aten::where.self(condition=%m, self=%i_float, other=%number)",
    ],
  ],
])("nameDefaultDtypes names the dtype of %s", (_, body, expected) => {
  expect(lines(body)).toEqual(expected);
});

it("nameDefaultDtypes goes into nested graphs", () => {
  const text = `%y: f64[3] = higher_order::cond(pred=%m, true_graph=graph t(%a: i64[3]) {
    %b: f64[3] = aten::mul.Tensor(%a, other=0.5)
    return %b
  }, false_graph=graph f(%a: i64[3]) {
    %b: f64[3] = aten::zeros(size=[3], dtype=torch.float64)
    return %b
  }, operands=[%i])`;
  expect(lines(text).join("\n")).toContain("aten::mul.Tensor(%a_float, other=0.5)");
});

it.each([
  "%y: f32[3] = aten::ones(size=[3])",
  "%y: f64[3] = aten::ones(size=[3], dtype=torch.float64)",
  "%y: f64[3] = aten::_to_copy(%i, dtype=torch.float64)",
  "%y: f64[3] = aten::mul.Tensor(%x, other=%i)",
  "%y: f64[3] = mine::half(%i)",
])("hasDefaultDtypes does not find %s", (body) => {
  const { graph } = program(`user_input %i: i64[3]\nuser_input %x: f64[3]\n${body}\nreturn %y`);
  expect(hasDefaultDtypes(graph)).toBe(false);
});
