import { hostTensor } from "@pt2/backend";
import { expect, test } from "vitest";
import { random } from "../../kernels.test-helper.ts";
import { runByAnyThreads } from "../../threads/by-any-threads.test-helper.ts";

interface Given {
  readonly batch: number;
  readonly from: number;
  readonly to: number;
  readonly space: readonly number[];
  readonly bias: boolean;
  readonly clamps: boolean;
}

const CASES: readonly Given[] = [
  { batch: 1, from: 3, to: 1, space: [5, 13], bias: false, clamps: false },
  { batch: 1, from: 1, to: 3, space: [37, 41], bias: true, clamps: true },
  { batch: 2, from: 7, to: 2, space: [1, 67], bias: true, clamps: false },
  { batch: 3, from: 4, to: 4, space: [53], bias: false, clamps: true },
  { batch: 1, from: 5, to: 3, space: [3, 5, 7], bias: true, clamps: true },
];

test.each(CASES)("$from planes of $space are mixed to $to", async ({ batch, from, to, space, bias, clamps }) => {
  const rng = random(7);
  const pixels = space.reduce((count, size) => count * size, 1);
  const [x, w, b] = [rng.floats(batch * from * pixels), rng.floats(to * from), rng.floats(to)];
  [x[11], x[from * pixels - 3]] = [Number.NaN, Number.POSITIVE_INFINITY];
  const shape = (channels: number): string => [batch, channels, ...space].join(", ");
  const ones = space.map(() => 1).join(", ");
  const [y] = await runByAnyThreads(
    `
    user_input %x: f32[${shape(from)}]
    user_input %w: f32[${to}, ${from}, ${ones}]
    user_input %b: f32[${to}]
    %c: f32[${shape(to)}] = aten::conv${space.length}d(input=%x, weight=%w, bias=${bias ? "%b" : "none"})
    %y: f32[${shape(to)}] = aten::${clamps ? "hardtanh(self=%c, min_val=-0.5, max_val=0.75)" : "alias(self=%c)"}
    return %y`,
    [
      hostTensor("float32", [batch, from, ...space], x),
      hostTensor("float32", [to, from, ...space.map(() => 1)], w),
      hostTensor("float32", [to], b),
    ],
  );
  expect(y!.shape).toEqual([batch, to, ...space]);
  for (const [i, value] of (y!.data as Float32Array).entries()) {
    const [n, o, pixel] = [Math.floor(i / (to * pixels)), Math.floor(i / pixels) % to, i % pixels];
    let sum = bias ? b[o]! : 0;
    for (let c = 0; c < from; c++) sum += x[(n * from + c) * pixels + pixel]! * w[o * from + c]!;
    const wanted = clamps ? Math.max(-0.5, Math.min(0.75, sum)) : sum;
    if (Number.isFinite(wanted)) expect(value).toBeCloseTo(wanted, 5);
    else expect(value).toBe(wanted);
  }
});

test("half precision is mixed in float32 and rounded once", async () => {
  const ones = new Float32Array(3 * 64).fill(1 / 3);
  const [y] = await runByAnyThreads(
    `
    user_input %x: f32[1, 3, 8, 8]
    user_input %w: f32[2, 3, 1, 1]
    %h: f16[1, 3, 8, 8] = aten::to.dtype(self=%x, dtype=torch.float16)
    %v: f16[2, 3, 1, 1] = aten::to.dtype(self=%w, dtype=torch.float16)
    %c: f16[1, 2, 8, 8] = aten::conv2d(input=%h, weight=%v)
    %y: f32[1, 2, 8, 8] = aten::to.dtype(self=%c, dtype=torch.float32)
    return %y`,
    [hostTensor("float32", [1, 3, 8, 8], ones), hostTensor("float32", [2, 3, 1, 1], Float32Array.of(1, 2, 4, 3, 5, 9))],
  );
  const third = 0.333251953125;
  expect(new Set(y!.data as Float32Array)).toEqual(new Set([2.33203125, Math.round(17 * third * 256) / 256]));
});
