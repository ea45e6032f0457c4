import { expect, it } from "vitest";
import { parseGraph } from "../text/parse-program.ts";
import { orderInMemory } from "./order-in-memory.ts";

it.each([
  ["f32[2, 3]", [0, 1]],
  ["f32[s0, 3, s1]{strides=[s1, s0*s1, 1]}", [1, 0, 2]],
  ["f32[s0, 3]{strides=[1, Max(1, s0)]}", [1, 0]],
  ["f32[1, s0, 2]{strides=[7, 1, s0]}", [0, 2, 1]],
  ["f32[s0, 3]{strides=[1, s1]}", null],
  ["f32[s0, 3]{strides=[0, 1]}", null],
])("orderInMemory of %s is %j", (text, order) => {
  const type = parseGraph(`graph(%x: ${text}) { return }`).values.get("x");
  expect(type?.kind === "tensor" && orderInMemory(type)).toEqual(order);
});
