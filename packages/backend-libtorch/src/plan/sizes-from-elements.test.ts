import { programOf } from "@pt2/conformance";
import { expect, it } from "vitest";
import { hasSizesFromElements } from "./sizes-from-elements.ts";

it.each([
  ["sizes of inputs, and what follows from them", false, "%y: f32[2*s0] = aten::cat([%x, %x])"],
  ["elements that are taken by number", false, "%y: f32[s1] = aten::index.Tensor(%x, indices=[%i])"],
  ["elements that are taken by a mask", true, "%y: f32[u0] = aten::index.Tensor(%x, indices=[%m])"],
  ["a size that is a sum with one from elements", true, "%y: f32[s0 + u0] = aten::cat([%x, %x])"],
  ["a number from elements", true, "%n: int(u0) = aten::item(%i)\n  %y: f32[s0] = aten::add.Tensor(%x, other=%n)"],
])("%s", (_, expected, node) => {
  const program = programOf(`
  user_input %x: f32[s0]
  user_input %i: i64[s1]
  user_input %m: bool[s0]
  ${node}
  return %y`);
  expect(hasSizesFromElements(program)).toBe(expected);
});
