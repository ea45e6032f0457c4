import { parse } from "@pt2/graph";
import { expect, test } from "vitest";
import { weightsFor } from "./weights-for.ts";

const PROGRAM = parse(`program {
  parameter "layer.weight" = %w: f32[3]
  return %w
}`);

test.each([[{}], [null], [undefined], [{ "layer.weight": 1 }], [[]]])("%j are not weights by name", (given) => {
  expect(() => weightsFor(PROGRAM, given as never)).toThrow(
    expect.objectContaining({ code: "runtime.weights", what: "The weights are not a Map" }),
  );
});

test.each([
  ["missing", undefined],
  ["not a tensor", 3],
  ["not a tensor", { dtype: "float32" }],
  ["float32 [2]", { dtype: "float32", shape: [2] }],
])("a weight that is %s is told", (given, weight) => {
  const what = `The weight \`layer.weight\` is ${given}, but the program expects float32 [3]`;
  const weights = new Map([["layer.weight", weight]]) as never;
  expect(() => weightsFor(PROGRAM, weights)).toThrow(expect.objectContaining({ code: "runtime.weights", what }));
});
