import { hostTensor } from "@pt2/backend";
import { describe, expect, test } from "vitest";
import { describeWithDevice } from "../../device.test-helper.ts";
import { ints, programOf, registryOf, run } from "../../programs.test-helper.ts";
import { VARIANTS, type VariantName, variantBackend } from "../../variants.test-helper.ts";
import { numbers } from "../matmul/product.test-helper.ts";

const registry = registryOf();

await describeWithDevice("running sums", () => {
  describe.each(Object.keys(VARIANTS) as VariantName[])("%s", (variant) => {
    test.each([
      [[2, 1009], 1],
      [[131, 5], 0],
      [[3, 37], 1],
      [[128], 0],
    ])("of %j along %i, of floats and of integers", async (shape, dim) => {
      const x = numbers(shape);
      const whole = Array.from(x.data as Float32Array, (value) => Math.round(50 * value));
      const [f, i] = ["f32", "i64"].map((dtype) => `${dtype}[${shape.join(", ")}]`);
      const backend = await variantBackend(variant);
      const executable = await backend.compile({
        program: programOf(`user_input %x: ${f}
  user_input %i: ${i}
  %y: ${f} = aten::cumsum(self=%x, dim=${dim})
  %z: ${i} = aten::cumsum(self=%i, dim=${dim})
  return %y, %z`),
        weights: new Map(),
        registry,
      });
      const [y, z] = (await run(executable, x, ints(shape, ...whole))) as number[][];
      await executable.dispose();
      expect(z).toEqual(running(whole, shape, dim));
      for (const [at, sum] of running([...(x.data as Float32Array)], shape, dim).entries()) {
        expect(y![at]).toBeCloseTo(sum, 4);
      }
    });

    test("an infinity stays, and becomes NaN with its opposite", async () => {
      const data = new Float32Array(260).fill(1);
      [data[100], data[200]] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      const backend = await variantBackend(variant);
      const body = "user_input %x: f32[260]\n  %y: f32[260] = aten::cumsum(self=%x, dim=0)\n  return %y";
      const executable = await backend.compile({ program: programOf(body), weights: new Map(), registry });
      const [y] = (await run(executable, hostTensor("float32", [260], data))) as number[][];
      await executable.dispose();
      expect([y![99], y![100], y![199], y![200], y![259]]).toEqual([100, Infinity, Infinity, Number.NaN, Number.NaN]);
    });
  });
});

function running(values: readonly number[], shape: readonly number[], dim: number): number[] {
  const inner = shape.slice(dim + 1).reduce((n, size) => n * size, 1);
  const sums: number[] = [];
  for (const [i, value] of values.entries()) {
    sums.push(value + (Math.floor(i / inner) % shape[dim]! === 0 ? 0 : sums[i - inner]!));
  }
  return sums;
}
