import { runCase } from "@pt2/conformance";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { describe, test } from "vitest";
import { describeWithDevice } from "../../device.test-helper.ts";
import { VARIANTS, type VariantName, variantBackend } from "../../variants.test-helper.ts";
import { type ConvCase, convolutionCase } from "./convolution.test-helper.ts";

const registry = createRegistry({ sets: [aten] });

const CASES: Readonly<Record<string, ConvCase>> = {
  "a batch of nothing": { input: [0, 3, 8, 8], weight: [4, 3, 3, 3] },
  "prime sizes": { input: [2, 5, 13, 17], weight: [7, 5, 3, 3], padding: [1, 1] },
  "odd strides and dilation": {
    input: [1, 3, 23, 19],
    weight: [5, 3, 5, 4],
    stride: [3, 2],
    padding: [2, 1],
    dilation: [1, 2],
    bias: false,
  },
  "a first layer": { input: [1, 3, 31, 29], weight: [16, 3, 7, 7], stride: [2, 2], padding: [3, 3] },
  "a small map": { input: [2, 24, 3, 3], weight: [40, 24, 3, 3], padding: [1, 1] },
  "many pixels": { input: [1, 2, 131, 127], weight: [65, 2, 3, 1] },
  "large groups": { input: [2, 32, 7, 7], weight: [36, 16, 3, 3], padding: [1, 1], groups: 2 },
  "small groups": { input: [1, 6, 8, 9], weight: [9, 2, 3, 3], groups: 3 },
  "each channel twice": { input: [2, 5, 11, 10], weight: [10, 1, 5, 3], stride: [2, 2], groups: 5 },
  "each channel of a long row": { input: [1, 4, 90], weight: [4, 1, 31], padding: [15], groups: 4 },
  "each channel in pairs of rows": { input: [1, 2, 8, 9], weight: [2, 1, 3, 3], padding: [1, 1], groups: 2 },
  "each channel in four rows": { input: [2, 3, 13, 12], weight: [6, 1, 3, 3], padding: [1, 1], groups: 3 },
  "each channel with a stride along rows": {
    input: [1, 3, 19, 23],
    weight: [3, 1, 5, 3],
    stride: [1, 2],
    padding: [2, 1],
    dilation: [1, 2],
    groups: 3,
    bias: false,
  },
  "single elements": { input: [2, 24, 6, 6], weight: [20, 24, 1, 1] },
  "single elements of odd rows": { input: [2, 7, 5, 5], weight: [9, 7, 1, 1], bias: false },
  "single elements in groups": { input: [1, 24, 4, 4], weight: [24, 8, 1, 1], groups: 3 },
  "single elements with a stride": { input: [1, 8, 9, 9], weight: [13, 8, 1, 1], stride: [2, 2] },
  "single elements with a stride in whole vectors": { input: [1, 4, 8, 8], weight: [5, 4, 1, 1], stride: [2, 2] },
  "a padded single element": { input: [1, 3, 4, 4], weight: [4, 3, 1, 1], padding: [1, 1] },
  "a long kernel": { input: [1, 2, 101], weight: [3, 2, 33], stride: [4], padding: [16] },
  "a kernel of the whole input": { input: [3, 5, 4, 7], weight: [9, 5, 4, 7] },
  "a single pixel": { input: [1, 20, 1, 1], weight: [6, 20, 1, 1], bias: false },
  "long sums": { input: [1, 300, 3, 3], weight: [17, 300, 1, 1] },
  patches: { input: [1, 3, 32, 32], weight: [20, 3, 16, 16], stride: [16, 16] },
  "three dimensions": {
    input: [1, 4, 5, 6, 7],
    weight: [13, 4, 3, 2, 3],
    stride: [1, 2, 1],
    padding: [1, 0, 1],
    dilation: [1, 1, 2],
  },
  "three dimensions of many channels": { input: [2, 17, 3, 4, 5], weight: [13, 17, 2, 3, 3], padding: [1, 1, 1] },
  "many channels with dilation": { input: [1, 18, 9, 8], weight: [12, 18, 3, 2], dilation: [2, 3], stride: [2, 1] },
  "three dimensions of single elements": { input: [2, 4, 3, 2, 5], weight: [6, 4, 1, 1, 1] },
  "each channel in three dimensions": { input: [1, 3, 5, 6, 7], weight: [3, 1, 3, 3, 3], groups: 3 },
  transposed: {
    input: [2, 4, 5, 6],
    weight: [4, 7, 3, 3],
    stride: [2, 2],
    padding: [1, 1],
    output_padding: [1, 1],
    transposed: true,
  },
  "transposed with dilation": {
    input: [1, 6, 5, 4],
    weight: [6, 3, 2, 3],
    stride: [3, 2],
    dilation: [2, 3],
    groups: 2,
    transposed: true,
    bias: false,
  },
  "transposed in one dimension": { input: [1, 2, 11], weight: [2, 5, 4], stride: [4], padding: [1], transposed: true },
  "transposed in three dimensions": {
    input: [1, 2, 3, 4, 5],
    weight: [2, 3, 2, 3, 2],
    stride: [2, 1, 3],
    padding: [0, 1, 0],
    transposed: true,
  },
};

/** Many channels and a constant weight: what Winograd convolution is for. */
const FILTERED: Readonly<Record<string, ConvCase>> = {
  "odd sizes": { input: [1, 65, 14, 13], weight: [67, 65, 3, 3], padding: [1, 1] },
  "no padding": { input: [2, 64, 11, 10], weight: [64, 64, 3, 3], bias: false },
};

/** What is tested without subgroups too, where only the text of the loads differs. */
const SIMPLE = ["prime sizes", "odd strides and dilation", "large groups", "single elements", "three dimensions"];

const FLOAT16_CASES = ["prime sizes", "single elements", "each channel twice", "transposed", "large groups"];

await describeWithDevice("convolution", () => {
  describe.each(Object.keys(VARIANTS) as VariantName[])("%s", (variant) => {
    const cases = variant === "on a CPU" ? SIMPLE.map((name) => [name, CASES[name]!] as const) : Object.entries(CASES);
    test.each(cases)("%s", async (name, given) => {
      await runCase(await variantBackend(variant), convolutionCase(name, given), "inputs", registry, {});
    });

    test.each(Object.entries(FILTERED))("3x3 with a constant weight: %s", async (name, given) => {
      const convolution = convolutionCase(name, given);
      await runCase(await variantBackend(variant), { ...convolution, atol: 1e-4 }, "constants", registry, {});
    });

    test.each(FLOAT16_CASES)("%s of float16", async (name) => {
      const float16Case = convolutionCase(name, CASES[name]!, "float16");
      await runCase(await variantBackend(variant), float16Case, "constants", registry, {});
    });
  });
});
