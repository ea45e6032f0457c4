import { hostTensor } from "@pt2/backend";
import { numel } from "@pt2/format";
import { randomUnit } from "@pt2/testing/random";
import { ABSOLUTE, worstError } from "@pt2/testing/worst-error";
import { expect, test } from "vitest";
import { runByAnyThreads } from "../../threads/by-any-threads.test-helper.ts";

interface Case {
  readonly input: readonly number[];
  readonly weight: readonly number[];
  readonly out: readonly number[];
  readonly args?: string;
}

test.each<Case>([
  // Each frame by itself: a dense convolution, one of each channel, one of pictures, and one with few outputs.
  { input: [2, 8, 3, 9, 11], weight: [12, 8, 1, 3, 3], out: [2, 12, 3, 9, 11], args: ", padding=[0, 1, 1]" },
  {
    input: [2, 12, 3, 9, 11],
    weight: [12, 1, 1, 3, 3],
    out: [2, 12, 3, 9, 11],
    args: ", padding=[0, 1, 1], groups=12",
  },
  { input: [2, 3, 2, 27, 33], weight: [8, 3, 1, 3, 3], out: [2, 8, 2, 25, 31] },
  { input: [2, 8, 2, 9, 41], weight: [3, 8, 1, 3, 3], out: [2, 3, 2, 9, 41], args: ", padding=[0, 1, 1]" },
  { input: [8, 3, 9, 11], weight: [12, 8, 1, 3, 3], out: [12, 3, 7, 9] },
  // Frames under a kernel that are joined: some beyond the video, left out, or apart.
  { input: [2, 12, 5, 9, 11], weight: [16, 12, 3, 3, 3], out: [2, 16, 5, 9, 11], args: ", padding=[1, 1, 1]" },
  {
    input: [1, 12, 7, 9, 8],
    weight: [16, 12, 2, 3, 3],
    out: [1, 16, 3, 7, 6],
    args: ", stride=[2, 1, 1], dilation=[2, 1, 1]",
  },
  { input: [2, 12, 2, 9, 8], weight: [16, 12, 3, 3, 3], out: [2, 16, 8, 9, 8], args: ", padding=[4, 1, 1]" },
  {
    input: [12, 4, 9, 12],
    weight: [16, 12, 3, 3, 3],
    out: [16, 4, 4, 5],
    args: ", padding=[1, 0, 0], stride=[1, 2, 2]",
  },
  { input: [1, 2, 2, 5, 4], weight: [3, 2, 2, 1, 3], out: [1, 3, 1, 5, 2] },
])("videos of $input by $weight", async ({ input, weight, out, args = "" }) => {
  const unit = randomUnit(5);
  const random = (count: number): Float32Array => Float32Array.from({ length: count }, () => 2 * unit() - 1);
  const [x, w, b] = [random(numel(input)), random(numel(weight)), random(weight[0]!)];
  const bodyOf = (dtype: string, declaration: (name: string) => string): string => `
    ${declaration("w")}: ${dtype}[${weight}]
    ${declaration("b")}: ${dtype}[${weight[0]}]
    user_input %x: ${dtype}[${input}]
    %y: ${dtype}[${out}] = aten::conv3d(input=%x, weight=%w, bias=%b${args})
    return %y`;
  const given = hostTensor("float32", input, x);
  const weights = { w: hostTensor("float32", weight, w), b: hostTensor("float32", [weight[0]!], b) };
  const [result] = await runByAnyThreads(
    bodyOf("f32", (name) => `parameter "${name}" = %${name}`),
    [given],
    weights,
  );
  // In float64 the sums are those of the definition.
  const [expected] = await runByAnyThreads(
    bodyOf("f64", (name) => `user_input %${name}`),
    [
      hostTensor("float64", weight, Float64Array.from(w)),
      hostTensor("float64", [weight[0]!], Float64Array.from(b)),
      hostTensor("float64", input, Float64Array.from(x)),
    ],
  );
  expect(result!.shape).toEqual(out);
  const actual = result!.data as Float32Array;
  expect(worstError(Array.from(actual), Array.from(expected!.data as Float64Array), ABSOLUTE)).toBeLessThan(2e-5);
});
