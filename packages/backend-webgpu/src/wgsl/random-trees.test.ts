import { distance, randomExpression, samples } from "@pt2/conformance";
import { DTYPES, type DType } from "@pt2/format";
import type { ScalarValue } from "@pt2/registry/scalar";
import { randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { describeWithDevice } from "../device.test-helper.ts";
import { runOnDevice, runReference } from "./elementwise.test-helper.ts";

// Floats are small multiples of a half and stay exact, as a GPU's compiler may reorder sums and products. Products and
// quotients of sums would not stay exact.
const FLOAT_FNS = ["add", "sub", "min", "max"] as const;
const GPU = { narrow: true };

function data(dtype: DType, float: boolean, random: () => number): readonly ScalarValue[] {
  const halves = (): number => Math.floor(random() * 17 - 8) / (DTYPES[dtype].kind === "float" ? 2 : 1);
  if (!float || dtype === "bool")
    return samples(dtype, 80, random, GPU).map((value) =>
      Number.isFinite(value) || typeof value !== "number" ? value : 1,
    );
  return Array.from({ length: 80 }, () =>
    dtype === "int64" ? BigInt(halves()) : dtype === "uint8" ? Math.abs(halves()) : halves(),
  );
}

await describeWithDevice("random expressions", (device) => {
  test.each(Array.from({ length: 70 }, (_, i) => i + 1))(
    "a random expression with seed %i is computed as by the reference",
    async (seed) => {
      const random = randomUnit(seed);
      const { expr, dtypes, compute } = randomExpression(seed, random, FLOAT_FNS);
      const float = DTYPES[compute].kind === "float";
      const operands = dtypes.map((dtype) => ({
        dtype,
        data: data(dtype, float, random),
        strides: [[1], [1], [0], [2]][Math.floor(random() * 4)] as readonly number[],
        offset: 0,
      }));
      const kernel = { shape: [seed % 2 ? 39 : 40], operands, expr };
      const actual = await runOnDevice(device, kernel);
      const wrong = runReference(kernel).flatMap((value, i) => {
        const got = actual[i] as ScalarValue;
        return distance(got, value, expr.dtype, GPU) === 0 ? [] : [`element ${i}: ${got}, not ${value}`];
      });
      expect(wrong).toEqual([]);
    },
  );
});
