import { expect, it } from "vitest";
import { parse } from "../../text/parse-program.ts";
import { printGraph } from "../../text/print-program.ts";
import { expandOutDtype } from "./expand-out-dtype.ts";

const program = parse(`program {
  user_input %x: i8[3, 5]
  user_input %w: u8[5, 7]
  %y: i32[3, 7] = higher_order::out_dtype(&aten::mm, torch.int32, %x, %w)
  return %y
}`);

it("converts operands and the result of an op", async () => {
  const args = ["self", "mat2"].map((name) => ({ name }));
  const { graph } = await expandOutDtype(program, { load: async () => {}, resolve: () => ({ schema: { args } }) });
  const text = printGraph(graph, { origins: false });
  expect(
    text
      .trim()
      .split("\n")
      .map((line) => line.trim()),
  ).toEqual([
    "graph(%x: i8[3, 5], %w: u8[5, 7]) {",
    "%y_operand: i32[3, 5] = aten::_to_copy(%x, dtype=torch.int32)",
    "%y_operand_1: i32[5, 7] = aten::_to_copy(%w, dtype=torch.int32)",
    "%y_computed: i32[3, 7] = aten::mm(%y_operand, mat2=%y_operand_1)",
    "%y: i32[3, 7] = aten::_to_copy(%y_computed, dtype=torch.int32)",
    "return %y",
    "}",
  ]);
});

it("leaves an op that is unknown", async () => {
  const { graph } = await expandOutDtype(program, { load: async () => {}, resolve: () => undefined });
  expect(graph.nodes.map(({ op }) => op)).toEqual(["higher_order::out_dtype"]);
});
