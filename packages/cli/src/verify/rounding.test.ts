import { compareTensors } from "@pt2/backend";
import { tensor } from "@pt2/runtime";
import { expect, it } from "vitest";
import { roundingOf, roundingText } from "./rounding.ts";
import { defaultTolerance } from "./tolerance.ts";

const tolerance = defaultTolerance("float32");
const floats = (...values: readonly number[]) => tensor("float32", [values.length], values);

function rounding(expected: readonly number[], actual: readonly number[]) {
  const wanted = floats(...expected);
  return roundingOf(wanted, tolerance, compareTensors(wanted, floats(...actual), tolerance));
}

it("a small element beside large ones may differ by rounding, and the text says why", () => {
  const found = rounding([-2746, -0.0717], [-2746, -0.0711]);
  expect(found).toEqual({ dtype: "float32", largest: 2746, step: 2 ** -12, allowed: expect.closeTo(1.717e-4, 7) });
  expect(roundingText(found!)).toBe(
    "float32 has steps of 2.4e-4 at the largest element, 2746, and 1.7e-4 is the tolerance here: " +
      "rounding may be all there is; see --per-node, and --atol",
  );
});

it("a difference is no rounding if the tolerance is wider than a step, or if it is large for the largest element", () => {
  expect(rounding([100, -0.0717], [100, -0.07])).toBeUndefined();
  expect(rounding([-2746, -0.0717], [-2746, 4])).toBeUndefined();
  expect(rounding([-2746, -0.0717], [-2750, -0.0711])).toBeUndefined();
  expect(rounding([-2746, -0.0717], [-2746, -0.0717])).toBeUndefined();
});

it("integers, tensors of zeros and differences of type are no rounding", () => {
  const exact = { rtol: 0, atol: 0 };
  const [one, two] = [tensor("int32", [1], [1]), tensor("int32", [1], [2])];
  expect(roundingOf(one, exact, compareTensors(one, two, exact))).toBeUndefined();
  expect(rounding([0, 0], [0, 1])).toBeUndefined();
  expect(rounding([2746], [2746, 0])).toBeUndefined();
});
