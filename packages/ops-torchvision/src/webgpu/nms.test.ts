import { webgpu } from "@pt2/backend-webgpu/node";
import { eagerOps } from "@pt2/eager";
import type { DType } from "@pt2/format";
import { type Tensor, tensor } from "@pt2/runtime/node";
import { describe, expect, it } from "vitest";
import { keptBoxes } from "../kept-boxes.ts";
import { randomNumbers } from "../random.test-helper.ts";
import { torchvision } from "../webgpu.ts";
import { gpu, noGpu } from "./gpu.test-helper.ts";

interface Scene {
  readonly dets: Float32Array;
  readonly scores: Float32Array;
}

/** Boxes whose corners are multiples of `grid` in a picture of `size`, so that overlaps are equal often. */
function scene(n: number, { size = 100, grid = 1 / 64, levels = 1000, seed = n + 1 } = {}): Scene {
  const random = randomNumbers(seed);
  const place = (most: number): number => Math.round((random() * most) / grid) * grid;
  const dets = new Float32Array(4 * n);
  for (let i = 0; i < n; i++) {
    const [x, y] = [place(size), place(size)];
    dets.set([x, y, x + place(20) + grid, y + place(20) + grid], 4 * i);
  }
  return { dets, scores: Float32Array.from({ length: n }, () => Math.floor(random() * levels) / levels) };
}

/** Expects what the rules of the op compute in JavaScript, to the last box. Returns how many boxes are kept. */
async function expectSame(
  { dets, scores }: Scene,
  threshold: number,
  { backend = gpu!, dtype = "float32" as DType } = {},
): Promise<number> {
  const { ops } = await eagerOps(backend, { ops: [torchvision] });
  const n = scores.length;
  const [boxes, ranks] = [tensor(dtype, [n, 4], Array.from(dets)), tensor(dtype, [n], Array.from(scores))];
  const [order, kept] = ops.pt2_torchvision!.nms_kept!<[Tensor, Tensor]>(boxes, ranks, threshold);
  const expected = keptBoxes(dets, scores, threshold);
  expect(Array.from(await order.read(), Number)).toEqual(Array.from(expected.order));
  expect(Array.from(await kept.read(), Number)).toEqual(Array.from(expected.kept));
  return expected.kept.reduce((sum, x) => sum + x, 0);
}

describe.skipIf(gpu === null)(`non-maximum suppression on a GPU${noGpu}`, () => {
  it.each([0, 1, 2, 31, 32, 33, 64, 65, 1000, 2048, 2049])("of %i boxes keeps those that a CPU keeps", async (n) => {
    const kept = await expectSame(scene(n), 0.5);
    expect(kept).toBeGreaterThanOrEqual(Math.min(n, 1));
  });

  it("of 5,000 boxes in a crowd, which several stripes of comparisons remove, keeps those that a CPU keeps", async () => {
    const kept = await expectSame(scene(5000, { size: 60 }), 0.3);
    expect(kept).toBeGreaterThan(30);
    expect(kept).toBeLessThan(2000);
  });

  it.each([0, 0.25, 0.5, 0.9, 1 - 2 ** -24, 1, 2, Infinity, -1, -Infinity, Number.NaN, 1e-42, 1e-30])(
    "a threshold of %d is exceeded by the overlaps that exceed it on a CPU",
    async (threshold) => {
      await expectSame(scene(150, { size: 30, grid: 1 }), threshold);
    },
  );

  it("overlaps that round to a threshold do not exceed it, and those one step above do", async () => {
    // Pairs of boxes far from each other, at places that change no size.
    const pairs = scene(128, { size: 12, grid: 2 ** -8 });
    const overlaps: number[] = [];
    for (let at = 0; at < 4 * 128; at += 8) {
      for (const x of [0, 2, 4, 6]) pairs.dets[at + x]! += 8 * at;
      overlaps.push(overlapOf(pairs.dets.subarray(at, at + 4), pairs.dets.subarray(at + 4, at + 8)));
    }
    const some = overlaps.filter((overlap) => overlap > 0 && overlap < 1);
    expect(some.length).toBeGreaterThan(30);
    for (const overlap of some) {
      const all = await expectSame(pairs, overlap);
      expect(await expectSame(pairs, overlap * (1 - 2 ** -40))).toBe(all - 1);
      expect(await expectSame(pairs, overlap * (1 + 2 ** -40))).toBe(all);
    }
  });

  it("equal scores keep their order, zeros are equal whatever their sign, and NaN comes first", async () => {
    const { dets } = scene(200, { size: 40 });
    const values = [0.5, 0, -0, Number.NaN, Infinity, -Infinity, 1e-40, -1e-40, -0.5];
    await expectSame({ dets, scores: Float32Array.from({ length: 200 }, (_, i) => values[(i * 7) % 9]!) }, 0.2);
    await expectSame({ dets, scores: new Float32Array(200).fill(0.25) }, 0.2);
  });

  it.each([0.5, -1])(
    "boxes that are equal, empty, NaN, or with swapped corners, at a threshold of %d",
    async (threshold) => {
      const { dets, scores } = scene(160, { size: 10, grid: 1 });
      const special = [Number.NaN, Infinity, -Infinity, 3e38, -3e38, 0, 5];
      const random = randomNumbers(5);
      for (let i = 0; i < 160; i++) {
        if (i % 4 === 0) dets.copyWithin(4 * i, 0, 4);
        if (i % 4 === 1) dets[4 * i + Math.floor(random() * 4)] = special[Math.floor(random() * special.length)]!;
        if (i % 8 === 2) dets.set([7, 3, 2, 1], 4 * i);
        if (i % 8 === 6) dets.set([4, 4, 4, 8], 4 * i);
      }
      const kept = await expectSame({ dets, scores }, threshold);
      expect(kept).toBeGreaterThan(1);
    },
  );

  it("boxes of float64 are compared as float32, where that is allowed", async () => {
    const backend = await webgpu({ narrowFloat64: true });
    const kept = await expectSame(scene(100, { size: 30 }), 0.5, { backend, dtype: "float64" });
    expect(kept).toBeLessThan(100);
    await backend.dispose();
  });
});

/** The overlap of two boxes in float32. */
function overlapOf(a: Float32Array, b: Float32Array): number {
  const { fround, max, min } = Math;
  const area = ([x1, y1, x2, y2]: Float32Array): number => fround(fround(x2! - x1!) * fround(y2! - y1!));
  const width = max(0, fround(min(a[2]!, b[2]!) - max(a[0]!, b[0]!)));
  const height = max(0, fround(min(a[3]!, b[3]!) - max(a[1]!, b[1]!)));
  const inner = fround(width * height);
  return fround(inner / fround(fround(area(a) + area(b)) - inner));
}
