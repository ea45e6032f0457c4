import { expect, it } from "vitest";
import { contiguousStrides, isContiguous } from "./strides.ts";
import { toSymInt } from "./sym/make-expr.ts";
import { parseSym } from "./sym/parse-expr.ts";
import { printSym } from "./sym/print-expr.ts";
import { parseGraph } from "./text/parse-program.ts";

it.each([
  [
    ["2", "3", "4"],
    ["12", "4", "1"],
  ],
  [
    ["s0", "2*s1", "4"],
    ["8*s1", "4", "1"],
  ],
  [
    ["3", "0", "2"],
    ["2", "2", "1"],
  ],
  [[], []],
])("contiguousStrides of %j are %j", (shape, strides) => {
  expect(contiguousStrides(shape.map((size) => toSymInt(parseSym(size)))).map(printSym)).toEqual(strides);
});

it.each([
  ["f32[2, 3]", true],
  ["f32[2, 3]{strides=[1, 2]}", false],
  ["f32[1, 3]{strides=[7, 1]}", true],
  ["f32[0, 3]{strides=[1, 1]}", true],
  ["f32[s0, s1]{strides=[Max(1, s1), 1]}", true],
  ["f32[s0, s1]{strides=[1, s0]}", false],
  ["f32[2, s1, s0]{strides=[s0*s1, s0, 1]}", true],
])("isContiguous of %s is %s", (text, dense) => {
  const type = parseGraph(`graph(%x: ${text}) { return }`).values.get("x");
  expect(type?.kind === "tensor" && isContiguous(type)).toBe(dense);
});
