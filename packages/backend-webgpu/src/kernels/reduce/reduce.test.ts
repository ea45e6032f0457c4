import { type HostTensor, hostTensor } from "@pt2/backend";
import { programOf, registryOf, run } from "@pt2/conformance";
import { ABSOLUTE, worstError } from "@pt2/testing/worst-error";
import { describe, expect, test } from "vitest";
import { describeWithDevice } from "../../device.test-helper.ts";
import { VARIANTS, type VariantName, variantBackend } from "../../variants.test-helper.ts";
import { numbers } from "../matmul/matmul.test-helper.ts";

const registry = registryOf();
const { NaN: nan, NEGATIVE_INFINITY } = Number;

/** Shapes, and how many of the first dimensions are kept; or, negative, how many of the last. */
const SHAPES: readonly (readonly [shape: readonly number[], kept: number])[] = [
  [[3, 37], 1],
  [[5, 2, 1, 257], 2],
  [[2, 8209], 1],
  [[131, 67], -1],
  [[1031, 3], -1],
];

await describeWithDevice("reductions", () => {
  describe.each(Object.keys(VARIANTS) as VariantName[])("%s", (variant) => {
    const compute = async (body: string, ...inputs: readonly HostTensor[]): Promise<number[][]> => {
      const backend = await variantBackend(variant);
      const executable = await backend.compile({ program: programOf(body), weights: new Map(), registry });
      const results = await run(executable, ...inputs);
      await executable.dispose();
      return results as number[][];
    };

    /** All reductions of a tensor along some dimensions. */
    const reduced = (given: readonly number[], dims: readonly number[], type: string): string => {
      const result = (dtype: string): string => `${dtype}[${given.filter((_, d) => !dims.includes(d)).join(", ")}]`;
      const list = `self=%x, dim=[${dims.join(", ")}]`;
      return `user_input %x: ${type}[${given.join(", ")}]
  %sum: ${result(type)} = aten::sum.dim_IntList(${list})
  %mean: ${result(type)} = aten::mean.dim(${list})
  %most: ${result(type)} = aten::amax(${list})
  %least: ${result(type)} = aten::amin(${list})
  %var: ${result(type)} = aten::var.correction(${list}, correction=1)
  return %sum, %mean, %most, %least, %var`;
    };

    test.each(SHAPES)(
      "sum, mean, extremes and variance of %j are right, with %i dimensions kept",
      async (shape, kept) => {
        const x = numbers(shape);
        const dims = [...shape.keys()].filter((d) => (kept >= 0 ? d >= kept : d < shape.length + kept));
        const lanes = lanesOf(x, kept);
        const [sum, mean, most, least, variance] = await compute(reduced(shape, dims, "f32"), x);
        const sums = lanes.map((lane) => lane.reduce((s, v) => s + v, 0));
        expect(worstError(sum!, sums, ABSOLUTE)).toBeLessThan(1e-4);
        const means = sums.map((s, i) => s / lanes[i]!.length);
        expect(worstError(mean!, means, ABSOLUTE)).toBeLessThan(1e-6);
        expect(most).toEqual(lanes.map((lane) => Math.max(...lane)));
        expect(least).toEqual(lanes.map((lane) => Math.min(...lane)));
        const squares = lanes.map((lane, i) => lane.reduce((s, v) => s + (v - means[i]!) ** 2, 0) / (lane.length - 1));
        expect(worstError(variance!, squares, ABSOLUTE)).toBeLessThan(1e-5);
      },
    );

    test("a NaN is the greatest and the least, wherever it is", async () => {
      const data = Float32Array.from({ length: 3 * 71 }, (_, i) => i % 71);
      [data[0], data[71 + 69], data[2 * 71]] = [nan, nan, NEGATIVE_INFINITY];
      const [most, least, at, from] = await compute(
        `user_input %x: f32[3, 71]
  %most: f32[3] = aten::amax(self=%x, dim=[1])
  %least: f32[3] = aten::amin(self=%x, dim=[1])
  %at: i64[3] = aten::argmax(self=%x, dim=1)
  %from: i64[3] = aten::argmin(self=%x, dim=1)
  return %most, %least, %at, %from`,
        hostTensor("float32", [3, 71], data),
      );
      expect(most).toEqual([nan, nan, 70]);
      expect(least).toEqual([nan, nan, NEGATIVE_INFINITY]);
      expect([at, from]).toEqual([
        [0, 69, 70],
        [0, 69, 0],
      ]);
    });

    test.each(SHAPES)("the first of equal extremes of %j is found, with %i dimensions kept", async (shape, kept) => {
      const x = numbers(shape);
      for (const [i, value] of (x.data as Float32Array).entries()) x.data[i] = Math.round(value * 9);
      const dims = kept >= 0 ? shape.slice(kept) : shape.slice(0, kept);
      const left = kept >= 0 ? shape.slice(0, kept) : shape.slice(kept);
      // The reduced dimensions as one, which is the last or the first.
      const flat = kept >= 0 ? [...left, dims.reduce((n, size) => n * size, 1)] : shape;
      const dim = kept >= 0 ? left.length : 0;
      const [at, from, most] = await compute(
        `user_input %x: f32[${shape.join(", ")}]
  %f: f32[${flat.join(", ")}] = aten::reshape(self=%x, shape=[${flat.join(", ")}])
  %at: i64[${left.join(", ")}] = aten::argmax(self=%f, dim=${dim})
  %from: i64[${left.join(", ")}] = aten::argmin(self=%f, dim=${dim})
  %i: i32[${flat.join(", ")}] = aten::to.dtype(self=%f, dtype=torch.int32)
  %most: i32[${left.join(", ")}] = aten::amax(self=%i, dim=[${dim}])
  return %at, %from, %most`,
        x,
      );
      const lanes = lanesOf(x, kept);
      expect(at).toEqual(lanes.map((lane) => lane.indexOf(Math.max(...lane))));
      expect(from).toEqual(lanes.map((lane) => lane.indexOf(Math.min(...lane))));
      expect(most).toEqual(lanes.map((lane) => Math.max(...lane)));
    });

    test("a reduction of float16 is right", async () => {
      // 1031 float16 elements of 1, and one of 2.
      const elements = new Float32Array(2062).fill(1);
      elements[1500] = 2;
      const x = hostTensor("float16", [2, 1031], elements);
      const backend = await variantBackend(variant);
      const body = reduced([2, 1031], [1], "f16");
      const executable = await backend.compile({ program: programOf(body), weights: new Map(), registry });
      const results = (await run(executable, x)) as number[][];
      const [sum, mean, most] = results;
      // 1031 and 1032, 1 and the float16 nearest to 1 + 1 / 1031, 1 and 2.
      expect([sum, mean, most]).toEqual([
        [1031, 1032],
        [1, 1 + 2 ** -10],
        [1, 2],
      ]);
      await executable.dispose();
    });
  });
});

/** The elements of each result. */
function lanesOf({ shape, data }: HostTensor, kept: number): number[][] {
  const results = (kept >= 0 ? shape.slice(0, kept) : shape.slice(kept)).reduce((n, size) => n * size, 1);
  const n = data.length / results;
  return Array.from({ length: results }, (_, r) =>
    Array.from({ length: n }, (_, k) => Number(data[kept >= 0 ? r * n + k : k * results + r])),
  );
}
