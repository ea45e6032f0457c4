import { hostTensor } from "@pt2/backend";
import { floats, programOf, registryOf, run, weightsOf } from "@pt2/conformance";
import { ABSOLUTE, worstError } from "@pt2/testing/worst-error";
import { describe, expect, test } from "vitest";
import { describeWithDevice, testDevice } from "../../device.test-helper.ts";
import type { AdapterLimits } from "../../engine/adapter.ts";
import { VARIANTS, type VariantName, variantBackend } from "../../variants.test-helper.ts";
import { numbers, operand, type ProductCase } from "./matmul.test-helper.ts";

const registry = registryOf();

const CASES: Readonly<Record<string, ProductCase>> = {
  "prime sizes": { batch: 3, m: 37, k: 29, n: 41 },
  "whole vectors": { batch: 2, m: 40, k: 64, n: 68 },
  "columns of a wider left matrix": { batch: 2, m: 17, k: 24, n: 36, left: "columns of a wider one" },
  "columns of a wider right matrix": { batch: 2, m: 33, k: 12, n: 19, right: "columns of a wider one" },
  "both transposed": { batch: 2, m: 44, k: 52, n: 20, left: "transposed", right: "transposed" },
  "transposed with odd sizes": { batch: 1, m: 7, k: 31, n: 13, left: "transposed", right: "transposed" },
  "one row": { batch: 3, m: 1, k: 67, n: 71 },
  "three rows of vectors": { batch: 1, m: 3, k: 128, n: 132, right: "transposed" },
  "two rows of a long sum": { batch: 2, m: 2, k: 1028, n: 10, right: "transposed" },
  "one column": { batch: 2, m: 71, k: 40, n: 1 },
  "one element of a long sum": { batch: 1, m: 1, k: 2053, n: 1 },
  "a small result of long sums": { batch: 1, m: 12, k: 1100, n: 10 },
  "large tiles": { batch: 5, m: 256, k: 20, n: 260 },
};

await describeWithDevice("products of matrices", () => {
  describe.each(Object.keys(VARIANTS) as VariantName[])("%s", (variant) => {
    test.each(Object.entries(CASES))("%s", async (_, { batch, m, k, n, left = "rows", right = "rows" }) => {
      const a = operand("a", left, [batch, m, k]);
      const b = operand("right", right, [batch, k, n]);
      const body = `${a.input}
  ${b.input}
  ${a.view}
  ${b.view}
  %y: f32[${batch}, ${m}, ${n}] = aten::bmm(self=%a, mat2=%right)
  return %y`;
      const expected: number[] = [];
      for (let g = 0; g < batch; g++) {
        for (let i = 0; i < m; i++) {
          for (let j = 0; j < n; j++) {
            let sum = 0;
            for (let l = 0; l < k; l++) sum += a.at(g, i, l) * b.at(g, l, j);
            expected.push(sum);
          }
        }
      }
      const backend = await variantBackend(variant);
      const executable = await backend.compile({ program: programOf(body), weights: new Map(), registry });
      const [actual] = await run(executable, a.tensor, b.tensor);
      expect(worstError(actual as number[], expected, ABSOLUTE)).toBeLessThan(2e-6 * k);
    });

    test("a weight larger than a binding is read in parts", async () => {
      const [rows, width, features] = [3, 24, 103];
      const weight = numbers([features, width]);
      const bias = numbers([features], 5);
      const x = numbers([rows, width], 3);
      const body = `parameter "w" = %w: f32[${features}, ${width}]
  parameter "b" = %b: f32[${features}]
  user_input %x: f32[${rows}, ${width}]
  %y: f32[${rows}, ${features}] = aten::linear(input=%x, weight=%w, bias=%b)
  %z: f32[${rows}, ${features}] = aten::relu(self=%y)
  return %z`;
      const { limits } = await testDevice();
      const backend = await variantBackend(variant, { limits: withBinding(limits, 4096) });
      const executable = await backend.compile({
        program: programOf(body),
        weights: weightsOf({ w: weight, b: bias }),
        registry,
      });
      const [actual] = await run(executable, x);
      const expected = Array.from({ length: rows * features }, (_, i) => {
        const [row, feature] = [Math.floor(i / features), i % features];
        let sum = (bias.data as Float32Array)[feature]!;
        for (let l = 0; l < width; l++) {
          sum += (x.data as Float32Array)[row * width + l]! * (weight.data as Float32Array)[feature * width + l]!;
        }
        return Math.max(0, sum);
      });
      expect(worstError(actual as number[], expected, ABSOLUTE)).toBeLessThan(1e-5);
    });

    test("a product with one row of float16 is right", async () => {
      const body = `user_input %x: f16[1, 260]
  user_input %w: f16[7, 260]
  %y: f16[1, 7] = aten::linear(input=%x, weight=%w)
  return %y`;
      // 260 twos are 520, and 518.5 where one of them is 0.5.
      const x = hostTensor("float16", [1, 260], new Uint16Array(260).fill(0x3c00));
      const weights = new Float32Array(7 * 260).fill(2);
      weights[3 * 260 + 257] = 0.5;
      const w = hostTensor("float16", [7, 260], weights);
      const backend = await variantBackend(variant);
      const executable = await backend.compile({ program: programOf(body), weights: new Map(), registry });
      const [y] = await run(executable, x, w);
      expect(y).toEqual([520, 520, 520, 518.5, 520, 520, 520]);
      await executable.dispose();
    });

    test.each([
      [0, 3, 4],
      [3, 0, 4],
      [3, 4, 0],
    ])("an empty product %i x %i x %i is zeros", async (m, k, n) => {
      const body = `user_input %x: f32[${m}, ${k}]
  user_input %w: f32[${k}, ${n}]
  user_input %b: f32[${n}]
  %y: f32[${m}, ${n}] = aten::addmm(self=%b, mat1=%x, mat2=%w)
  return %y`;
      const backend = await variantBackend(variant);
      const executable = await backend.compile({ program: programOf(body), weights: new Map(), registry });
      const bias = floats([n], ...Array.from({ length: n }, (_, j) => j + 1));
      const [actual] = await run(executable, numbers([m, k]), numbers([k, n]), bias);
      expect(actual).toEqual(k === 0 ? [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4] : []);
    });
  });
});

/** Limits of a device that binds no more than this at once; theirs are getters, which do not spread. */
function withBinding(limits: AdapterLimits, maxStorageBufferBindingSize: number): AdapterLimits {
  return {
    maxStorageBufferBindingSize,
    maxBufferSize: limits.maxBufferSize,
    maxStorageBuffersPerShaderStage: limits.maxStorageBuffersPerShaderStage,
    maxComputeWorkgroupsPerDimension: limits.maxComputeWorkgroupsPerDimension,
    maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
    maxComputeInvocationsPerWorkgroup: limits.maxComputeInvocationsPerWorkgroup,
    minStorageBufferOffsetAlignment: limits.minStorageBufferOffsetAlignment,
  };
}
