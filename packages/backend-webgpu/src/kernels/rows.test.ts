import { type HostTensor, hostTensor, numel } from "@pt2/backend";
import { programOf, registryOf, run } from "@pt2/conformance";
import { bitsToFloat } from "@pt2/format";
import { ABSOLUTE, worstError } from "@pt2/testing/worst-error";
import { describe, expect, test } from "vitest";
import { describeWithDevice } from "../device.test-helper.ts";
import { VARIANTS, type VariantName, variantBackend } from "../variants.test-helper.ts";
import { numbers } from "./matmul/matmul.test-helper.ts";

const registry = registryOf();

/** Shapes and the dimension that is reduced: few rows and many, whole vectors and not, next to each other and not. */
const SOFTMAX: readonly (readonly [shape: readonly number[], dim: number])[] = [
  [[3, 5, 37], -1],
  [[2, 40, 64], 2],
  [[1, 1003], 1],
  [[1, 1000], 1],
  [[2, 67, 3], 1],
  [[71, 5, 2], 0],
  [[300, 7], 1],
];

/** Shapes, and how many of the last dimensions are a row. */
const NORMS: readonly (readonly [shape: readonly number[], dims: number])[] = [
  [[3, 5, 37], 1],
  [[2, 3, 8, 12], 2],
  [[1, 768], 1],
  [[129, 20], 1],
  [[2, 3, 5, 1], 1],
];

await describeWithDevice("rows", () => {
  describe.each(Object.keys(VARIANTS) as VariantName[])("%s", (variant) => {
    const compute = async (body: string, ...inputs: readonly HostTensor[]): Promise<readonly number[][]> => {
      const backend = await variantBackend(variant);
      const executable = await backend.compile({ program: programOf(body), weights: new Map(), registry });
      const results = await run(executable, ...inputs);
      await executable.dispose();
      return results as number[][];
    };

    test.each(SOFTMAX)("softmax of %j over %i is right with an epilogue", async (shape, dim) => {
      const x = numbers(shape);
      const type = `f32[${shape.join(", ")}]`;
      const body = `user_input %x: ${type}
  %y: ${type} = aten::softmax.int(self=%x, dim=${dim})
  %z: ${type} = aten::mul.Scalar(self=%y, other=2)
  %l: ${type} = aten::log_softmax.int(self=%x, dim=${dim})
  return %z, %l`;
      const [doubled, logarithms] = await compute(body, x);
      const at = (dim + shape.length) % shape.length;
      const [n, inner] = [shape[at]!, numel(shape.slice(at + 1))];
      const data = x.data as Float32Array;
      const expected = Array.from(data, (value, i) => {
        const start = i - (Math.floor(i / inner) % n) * inner;
        let total = 0;
        for (let k = 0; k < n; k++) total += Math.exp(data[start + k * inner]! - value);
        return 1 / total;
      });
      expect(
        worstError(
          doubled!,
          expected.map((value) => 2 * value),
          ABSOLUTE,
        ),
      ).toBeLessThan(1e-6);
      expect(worstError(logarithms!, expected.map(Math.log), ABSOLUTE)).toBeLessThan(5e-6);
    });

    test("softmax of infinities and NaN is PyTorch's", async () => {
      const type = "f32[3, 4]";
      const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
      const body = `user_input %x: ${type}\n  %y: ${type} = aten::softmax.int(self=%x, dim=1)\n  return %y`;
      const x = hostTensor("float32", [3, 4], Float32Array.of(-inf, 0, -inf, 0, -inf, -inf, -inf, -inf, 0, nan, 0, 0));
      expect(await compute(body, x)).toEqual([[0, 0.5, 0, 0.5, nan, nan, nan, nan, nan, nan, nan, nan]]);
    });

    test("rows of float16 are right", async () => {
      const type = "f16[2, 259]";
      const body = `user_input %x: ${type}
  %y: ${type} = aten::softmax.int(self=%x, dim=1)
  %z: ${type} = aten::rms_norm(input=%x, normalized_shape=[259], eps=0.0001)
  return %y, %z`;
      // Rows of 2: the float16 nearest to 1 / 259 and to 2 / √4.0001.
      const [y, z] = await compute(body, hostTensor("float16", [2, 259], new Uint16Array(518).fill(0x4000)));
      expect([new Set(y), new Set(z)]).toEqual([new Set([bitsToFloat("float16", 0x1be8)]), new Set([1])]);
    });

    test.each(NORMS)("layer norm of %j over the last %i is right", async (shape, dims) => {
      const row = shape.slice(shape.length - dims);
      const x = numbers(shape);
      const [weight, bias] = [numbers(row, 2), numbers(row, 3)];
      const type = (sizes: readonly number[]): string => `f32[${sizes.join(", ")}]`;
      const kept = [...shape.slice(0, -dims), ...row.map(() => 1)];
      const body = `user_input %x: ${type(shape)}
  user_input %w: ${type(row)}
  user_input %b: ${type(row)}
  %y: ${type(shape)}, %m: ${type(kept)}, %r: ${type(kept)} = aten::native_layer_norm(input=%x, normalized_shape=[${row.join(", ")}], weight=%w, bias=%b, eps=0.001)
  return %y, %m, %r`;
      const [y, mean, rstd] = await compute(body, x, weight, bias);
      const n = numel(row);
      const count = numel(shape) / n;
      const [data, w, b] = [x, weight, bias].map((tensor) => tensor.data as Float32Array);
      const means = Array.from(
        { length: count },
        (_, i) => data!.slice(i * n, i * n + n).reduce((s, v) => s + v, 0) / n,
      );
      const rstds = means.map((m, i) => {
        const squares = data!.slice(i * n, i * n + n).reduce((s, v) => s + (v - m) ** 2, 0);
        return 1 / Math.sqrt(squares / n + 0.001);
      });
      const expected = Array.from(data!, (value, i) => {
        const at = Math.floor(i / n);
        return (value - means[at]!) * rstds[at]! * w![i % n]! + b![i % n]!;
      });
      expect(worstError(mean!, means, ABSOLUTE)).toBeLessThan(1e-6);
      expect(worstError(rstd!, rstds, ABSOLUTE)).toBeLessThan(3e-4);
      expect(worstError(y!, expected, ABSOLUTE)).toBeLessThan(1e-5);
    });

    test.each([
      [[2, 6, 5, 4], 3],
      [[1, 4, 7], 1],
      [[40, 8], 4],
    ])("group norm of %j in %i groups is right", async (shape, groups) => {
      const x = numbers(shape);
      const channels = shape[1]!;
      const weight = numbers([channels], 2);
      const type = `f32[${shape.join(", ")}]`;
      const body = `user_input %x: ${type}
  user_input %w: f32[${channels}]
  %y: ${type} = aten::group_norm(input=%x, num_groups=${groups}, weight=%w, eps=0.01)
  return %y`;
      const [y] = await compute(body, x, weight);
      const n = numel(shape) / shape[0]! / groups;
      const space = numel(shape.slice(2));
      const data = x.data as Float32Array;
      const expected = Array.from(data, (value, i) => {
        const group = data.slice(i - (i % n), i - (i % n) + n);
        const mean = group.reduce((s, v) => s + v, 0) / n;
        const variance = group.reduce((s, v) => s + (v - mean) ** 2, 0) / n;
        const channel = Math.floor(i / space) % channels;
        return ((value - mean) / Math.sqrt(variance + 0.01)) * (weight.data as Float32Array)[channel]!;
      });
      expect(worstError(y!, expected, ABSOLUTE)).toBeLessThan(1e-5);
    });
  });
});
