import { expect, it } from "vitest";
import { program } from "../program.test-helper.ts";
import { printGraph } from "../text/print-program.ts";
import { validate } from "../validate/validate.ts";
import { expandVmap } from "./expand-vmap.ts";

const VMAP = "torch._functorch.predispatch::";
const open = (name: string, size: number, randomness = "error") =>
  `${name}: none = ${VMAP}_vmap_increment_nesting(""=${size}, ""="${randomness}")`;
const close = (name: string) => `${name}: none = ${VMAP}_vmap_decrement_nesting()`;
const BODY = `
  user_input %x: f32[3, 4]
  user_input %w: f32[4]
  lazy: none = ${VMAP}lazy_load_decompositions()
  ${open("inc", 4)}
  %a: f32[3] = ${VMAP}_add_batch_dim(""=%x, ""=1, ""=1)
  %s: f32[] = aten::sum(%a)
  %b: f32[4] = aten::mul.Tensor(%w, other=%s)
  %y: f32[4, 4] = ${VMAP}_remove_batch_dim(""=%b, ""=1, ""=4, ""=1)
  ${close("dec")}
  return %y`;

it("expandVmap maps the function for one example, whatever the batch dimensions are", () => {
  const mapped = expandVmap(program(BODY));
  expect(validate(mapped)).toEqual([]);
  const text = printGraph(mapped.graph);
  expect(text).toContain("%movedim: f32[4, 3]{strides=[1, 4]} = aten::movedim.int(%x, source=1, destination=0)");
  expect(text).toContain("higher_order::map_impl");
  expect(text).toContain("aten::movedim.int(%y_rows, source=0, destination=1)");
  expect(text).not.toContain("functorch");
});

it("expandVmap creates empty tensors where there are no examples", () => {
  const none = BODY.replace(`""=4, ""="error"`, `""=0, ""="error"`).replace("f32[3, 4]", "f32[3, 0]");
  const text = printGraph(expandVmap(program(none.replace("%y: f32[4, 4]", "%y: f32[4, 0]"))).graph);
  expect(text).toContain("%y: f32[4, 0] = aten::full(size=[4, 0], fill_value=0, dtype=torch.float32");
  expect(text).not.toContain("map_impl");
});

it.each([
  ["examples that must draw alike", BODY.replace('"error"', '"same"')],
  ["a value of one example that is used outside", BODY.replace("return %y", "return %y, %s")],
  ["a region without end", BODY.replace(close("dec"), "")],
  ["an unknown function", BODY.replace("lazy_load_decompositions", "something_else")],
])("expandVmap keeps %s", (_, body) => {
  const original = program(body);
  expect(expandVmap(original)).toBe(original);
});
