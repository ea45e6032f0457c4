import { checkOp, compareTensor, type OpSample, programOf, registryOf, someFloats } from "@pt2/conformance";
import { eagerOps } from "@pt2/eager";
import type { OpRecord, OpSet } from "@pt2/registry";
import { type HostTensor, type Tensor, tensor } from "@pt2/runtime/node";
import { describe, expect, it } from "vitest";
import { torchvision as portable, psRoiAlign, psRoiPool, roiAlign, roiPool } from "../index.ts";
import { randomNumbers, randomRegions } from "../random.test-helper.ts";
import { torchvision } from "../webgpu.ts";
import { gpu, noGpu } from "./gpu.test-helper.ts";

const random = randomNumbers(7);

const regions = (count: number, pictures: number): HostTensor => randomRegions(random, count, pictures, true);

async function called(set: OpSet, op: string, args: readonly unknown[]): Promise<readonly Tensor[]> {
  const { ops } = await eagerOps(gpu!, { ops: [set] });
  return [await ops.torchvision![op]!<Tensor | Tensor[] | Promise<Tensor[]>>(...(args as never[]))].flat();
}

/** Expects that the kernel gives what the decomposition gives on the same GPU. */
async function expectSame(op: string, ...args: readonly unknown[]): Promise<void> {
  const [found, expected] = [await called(torchvision, op, args), await called(portable, op, args)];
  expect(found).toHaveLength(expected.length);
  for (const [i, tensor] of expected.entries()) {
    const { dtype, shape } = tensor;
    const data = await tensor.read();
    expect(await compareTensor(found[i]!, { dtype, shape, data }, { rtol: 1e-4, atol: 1e-5 })).toBeNull();
  }
}

describe.skipIf(gpu === null)(`pooling of regions on a GPU${noGpu}`, () => {
  const bins = [1, 2, 3, 5].map((down) => [down, 6 - down] as const);

  it.each(bins)(
    "roi_align with %i × %i bins does what its decomposition does, for any region",
    async (down, across) => {
      for (const ratio of [-1, 1, 2, 3]) {
        for (const aligned of [true, false]) {
          await expectSame("roi_align", someFloats(2, 3, 9, 7), regions(24, 2), 0.5, down, across, ratio, aligned);
        }
      }
    },
  );

  it.each(bins)("roi_pool with %i × %i bins does what its decomposition does, for any region", async (down, across) => {
    await expectSame("roi_pool", someFloats(2, 3, 9, 7), regions(24, 2), 0.5, down, across);
  });

  it.each(bins)(
    "ps_roi_align and ps_roi_pool with %i × %i bins do what their decompositions do",
    async (down, across) => {
      const features = someFloats(2, 2 * down * across, 9, 7);
      await expectSame("ps_roi_align", features, regions(24, 2), 0.5, down, across, -1);
      await expectSame("ps_roi_align", features, regions(24, 2), 0.5, down, across, 2);
      await expectSame("ps_roi_pool", features, regions(24, 2), 0.5, down, across);
    },
  );

  it("regions with infinities and NaN give what the decompositions give", async () => {
    const special = [Number.NaN, Infinity, -Infinity, 3e38, -3e38, 1e30];
    const rows = special.flatMap((x) => [1, 2, 3, 4].map((at) => [0, 2, 1, 9, 11].with(at, x)));
    const rois = tensor("float32", [rows.length, 5], rows.flat());
    for (const ratio of [-1, 2]) {
      for (const aligned of [true, false]) {
        await expectSame("roi_align", someFloats(1, 2, 9, 7), rois, 1, 2, 3, ratio, aligned);
      }
      await expectSame("ps_roi_align", someFloats(1, 6, 9, 7), rois, 1, 2, 3, ratio);
    }
    await expectSame("roi_pool", someFloats(1, 2, 9, 7), rois, 1, 2, 3);
    await expectSame("ps_roi_pool", someFloats(1, 6, 9, 7), rois, 1, 2, 3);
  });

  it("a region of a picture that is not there gives zeros, and no place of the largest element", async () => {
    const pictures = [2, -1, 1e9, -1e9, Number.NaN, 1];
    const rois = tensor(
      "float32",
      [6, 5],
      pictures.flatMap((n) => [n, 1, 1, 5, 5]),
    );
    for (const [op, ...rest] of [["roi_align", 2, true], ["ps_roi_align", 2], ["roi_pool"], ["ps_roi_pool"]] as const) {
      const [found, second] = await called(torchvision, op, [someFloats(2, 1, 9, 7), rois, 1, 1, 1, ...rest]);
      const sums = Array.from(await found!.read(), Number);
      expect(sums.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
      expect(sums[5]).not.toBe(0);
      if (op !== "roi_pool") continue;
      const places = Array.from(await second!.read(), Number);
      expect(places.slice(0, 5)).toEqual([-1, -1, -1, -1, -1]);
      expect(places[5]).toBeGreaterThanOrEqual(0);
    }
  });

  it("maps and calls without elements have empty results, or zeros", async () => {
    for (const [n, c, h, w] of [
      [1, 2, 0, 3],
      [1, 2, 3, 0],
      [1, 0, 3, 3],
    ] as const) {
      await expectSame("roi_align", someFloats(n, c, h, w), regions(3, 1), 1, 2, 2, 2, true);
      await expectSame("ps_roi_pool", someFloats(n, 4 * c, h, w), regions(3, 1), 1, 2, 2);
      await expectSame("roi_pool", someFloats(n, c, h, w), regions(3, 1), 1, 2, 2);
    }
    await expectSame("roi_pool", someFloats(1, 2, 3, 3), regions(0, 1), 1, 2, 2);
    await expectSame("ps_roi_align", someFloats(1, 4, 3, 3), regions(0, 1), 1, 2, 2, 2);
  });

  it.each<readonly [string, OpRecord, object]>([
    ["roi_align", roiAlign, { sampling_ratio: 2, aligned: true }],
    ["roi_align, adaptive,", roiAlign, { sampling_ratio: 0, aligned: false }],
    ["ps_roi_align", psRoiAlign, { sampling_ratio: 0 }],
    ["roi_pool", roiPool, {}],
    ["ps_roi_pool", psRoiPool, {}],
  ])("%s agrees with its rules for tensors of any strides and dtype", async (_name, record, options) => {
    const rois = tensor(
      "float32",
      [3, 5],
      [
        [0, 1, 2, 9, 12],
        [1, 6.5, -3, 14, 5.5],
        [1, 2, 2, 7, 30],
      ].flat(),
    );
    const sample = { input: someFloats(2, 6, 5, 4), rois, spatial_scale: 0.25, pooled_height: 3 };
    const samples = [{ ...sample, pooled_width: 2, ...options }] as unknown as readonly OpSample[];
    // Results depend on regions too, but in torchvision no gradient flows to them; those of features have goldens.
    const { gradient: _, ...rules } = record;
    await checkOp(rules as never, samples as never, {
      backends: [gpu!],
      ops: [torchvision],
      dtypes: ["float32", "float16"],
    });
  });

  it("what follows a pooling is computed where its result is written", async () => {
    const program = programOf(`user_input %x: f32[1, 2, 9, 7]
    user_input %r: f32[4, 5]
    %y: f32[4, 2, 3, 3] = torchvision::roi_align(input=%x, rois=%r, spatial_scale=0.5, pooled_height=3, pooled_width=3, sampling_ratio=2, aligned=true)
    %z: f32[4, 2, 3, 3] = aten::relu(self=%y)
    return %z`);
    const executable = await gpu!.compile({ program, weights: new Map(), registry: registryOf([], [torchvision]) });
    const [input, rois] = [someFloats(1, 2, 9, 7), regions(4, 1)];
    const [found] = (await executable.run([input, rois])) as [Tensor];
    expect((await executable.explain()).split("\n").filter((line) => line.includes("→"))).toEqual([
      "z: torchvision::roi_align + aten::relu → roi_align",
    ]);
    const [plain] = await called(portable, "roi_align", [input, rois, 0.5, 3, 3, 2, true]);
    const data = Float32Array.from(Array.from(await plain!.read(), Number), (x) => Math.max(x, 0));
    expect(
      await compareTensor(found, { dtype: "float32", shape: [4, 2, 3, 3], data }, { rtol: 1e-4, atol: 1e-5 }),
    ).toBeNull();
    await executable.dispose();
  });
});
