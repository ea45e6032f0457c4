import { parse } from "@pt2/graph";
import { expect, it } from "vitest";
import { requireArguments } from "./require-arguments.ts";
import { parseSchema } from "./schema/parse.ts";

const VIEW = "aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)";
const POOL =
  "aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], bool ceil_mode=False, int? divisor_override=None) -> Tensor";

function check(call: string, declared = VIEW): void {
  const schema = parseSchema(declared);
  const { graph } = parse(`program {\n  user_input %x: f32[4]\n  %y: f32[2, 2] = ${call}\n  return %y\n}`);
  requireArguments(graph.nodes[0]!, schema, graph.values);
}

it.each([
  ["aten::view(%x, dim=[2, 2])", "argument `dim` is unknown"],
  ["aten::view(%x, size=[2, 2], dim=1)", "argument `dim` is unknown"],
  ["aten::view(%x)", "argument `size` is missing"],
])("requireArguments refuses %s", (call, what) => {
  expect(() => check(call)).toThrow(
    expect.objectContaining({ code: "registry.argument", what: expect.stringContaining(what) }),
  );
});

it.each([
  ["%x, size=2", "argument `size` is of kind int; it must be SymInt[]"],
  ["%x, size=[2, 2.0]", "argument `size` has an item that is of kind float; it must be SymInt[]"],
  ["%x, size=none", "argument `size` is None; it must be SymInt[]"],
  ["[2, 2], size=[2, 2]", "argument `self` is of kind list; it must be Tensor"],
  ['"x", size=[2, 2]', "argument `self` is of kind string; it must be Tensor"],
])("requireArguments refuses an argument of another kind: %s", (args, what) => {
  expect(() => check(`aten::view(self=${args})`)).toThrow(
    expect.objectContaining({ code: "registry.argument", what: expect.stringContaining(what) }),
  );
});

it.each([
  ["kernel_size=[2, 2, 2]", "argument `kernel_size` has 3 items, and must have 2"],
  ["kernel_size=%x", "argument `kernel_size` is of kind tensor"],
  ["kernel_size=2, ceil_mode=0.5", "argument `ceil_mode` is of kind float"],
])("requireArguments refuses wrong values for a list of fixed size, or for a bool: %s", (args, what) => {
  expect(() => check(`aten::avg_pool2d(self=%x, ${args})`, POOL)).toThrow(what);
});

it("requireArguments accepts a number or an empty list for a list of fixed size, and None if it is optional", () => {
  check("aten::avg_pool2d(self=%x, kernel_size=2, stride=[], divisor_override=none)", POOL);
  check("aten::avg_pool2d(self=%x, kernel_size=[2], stride=[1, 2], ceil_mode=true)", POOL);
  check("aten::avg_pool2d(self=1, kernel_size=[2])", POOL);
});

it("requireArguments accepts a call that matches the schema", () => {
  check("aten::view(%x, size=[2, 2])");
});
