import { hostTensor } from "@pt2/backend";
import { type ByteTable, byteTable, type ExactResize, resizeRows } from "@pt2/engine/host";
import { expect, test } from "vitest";
import { random } from "../../kernels.test-helper.ts";
import { runByAnyThreads } from "../../threads/by-any-threads.test-helper.ts";

const rng = random(5);

const SIZES = [
  { from: [3, 5], to: [7, 2] },
  { from: [1, 1], to: [4, 5] },
  { from: [40, 61], to: [13, 7] },
  { from: [9, 100], to: [23, 12] },
  { from: [120, 8], to: [3, 8] },
  { from: [17, 33], to: [17, 50] },
  { from: [300, 200], to: [64, 75] },
] as const;

const OPS = ["upsample_bilinear2d", "upsample_bicubic2d", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"] as const;

const program = (op: string, dtype: string, from: readonly number[], to: readonly number[]): string => `
  user_input %x: ${dtype}[2, 3, ${from}]
  %y: ${dtype}[2, 3, ${to}] = aten::${op}(self=%x, output_size=[${to}], align_corners=false)
  return %y`;

/** The axis of a resize of `length` elements. */
const axisOf = (op: string, inLength: number, outLength: number): ExactResize => ({
  isCubic: op.includes("bicubic"),
  ...{ inLength, outLength, scale: null },
  alignCorners: false,
  antialias: op.endsWith("_aa"),
});

/** What an output of a line of bytes is. */
function byteAt({ starts, counts, weights, taps, shift }: ByteTable, at: number, line: (i: number) => number): number {
  let sum = 2 ** (shift - 1);
  for (let t = 0; t < counts[at]!; t++) sum += weights[at * taps + t]! * line(starts[at]! + t);
  return Math.max(0, Math.min(255, Math.floor(sum / 2 ** shift)));
}

test.each(OPS)("%s of bytes is the rounded sum of neighbors, columns first, by any number of threads", async (op) => {
  for (const { from, to } of SIZES) {
    const [height, width] = from;
    const x = Uint8Array.from({ length: 6 * height * width }, () => rng.below(3) * 127 + rng.below(2));
    const [y] = await runByAnyThreads(program(op, "u8", from, to), [hostTensor("uint8", [2, 3, ...from], x)]);
    const [rows, columns] = [0, 1].map((i) => byteTable(axisOf(op, from[i]!, to[i]!)));
    const wide = Uint8Array.from({ length: 6 * height * to[1] }, (_, i) => {
      const line = Math.floor(i / to[1]) * width;
      return width === to[1] ? x[i]! : byteAt(columns!, i % to[1], (k) => x[line + k]!);
    });
    const expected = Uint8Array.from({ length: 6 * to[0] * to[1] }, (_, i) => {
      const image = Math.floor(i / (to[0] * to[1])) * height;
      return height === to[0]
        ? wide[i]!
        : byteAt(rows!, Math.floor(i / to[1]) % to[0], (k) => wide[(image + k) * to[1] + (i % to[1])]!);
    });
    expect(Buffer.compare(y!.data as Uint8Array, expected), `${from} to ${to}`).toBe(0);
  }
});

test.each(OPS.slice(2))("%s of doubles adds up neighbors alone, by any number of threads", async (op) => {
  for (const { from, to } of SIZES) {
    const [height, width] = from;
    const x = Float64Array.from(rng.floats(6 * height * width));
    // What is far away from an output is not multiplied by zero.
    x[0] = Number.POSITIVE_INFINITY;
    const [y] = await runByAnyThreads(program(op, "f64", from, to), [hostTensor("float64", [2, 3, ...from], x)]);
    const [rows, columns] = [0, 1].map((i) => resizeRows(axisOf(op, from[i]!, to[i]!)));
    const one = [{ start: 0, weights: [1] }];
    for (let i = 0; i < 6 * to[0] * to[1]; i++) {
      const [image, row, column] = [Math.floor(i / (to[0] * to[1])), Math.floor(i / to[1]) % to[0], i % to[1]] as const;
      const down = height === to[0] ? { ...one[0]!, start: row } : rows![row]!;
      const across = width === to[1] ? { ...one[0]!, start: column } : columns![column]!;
      const line = (k: number): number =>
        across.weights
          .map((weight, t) => weight * x[(image * height + k) * width + across.start + t]!)
          .reduce((sum, part) => sum + part);
      const expected = down.weights.map((weight, t) => weight * line(down.start + t)).reduce((sum, part) => sum + part);
      if (!Object.is(y!.data[i], expected)) expect(y!.data[i], `${from} to ${to} at ${i}`).toBe(expected);
    }
  }
});
