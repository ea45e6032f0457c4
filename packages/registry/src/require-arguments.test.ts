import { parse } from "@pt2/graph";
import { expect, it } from "vitest";
import { requireArguments } from "./require-arguments.ts";
import { parseSchema } from "./schema/parse.ts";

const schema = parseSchema("aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)");

function check(call: string): void {
  const { graph } = parse(`program {\n  user_input %x: f32[4]\n  %y: f32[2, 2] = ${call}\n  return %y\n}`);
  requireArguments(graph.nodes[0]!, schema);
}

it.each([
  ["aten::view(%x, dim=[2, 2])", "argument `dim` is unknown"],
  ["aten::view(%x, size=[2, 2], dim=1)", "argument `dim` is unknown"],
  ["aten::view(%x)", "argument `size` is missing"],
])("refuses %s", (call, what) => {
  expect(() => check(call)).toThrow(
    expect.objectContaining({ code: "registry.argument", what: expect.stringContaining(what) }),
  );
});

it("takes a call as the schema has it", () => {
  check("aten::view(%x, size=[2, 2])");
});
