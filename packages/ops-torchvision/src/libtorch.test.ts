import type { Backend } from "@pt2/backend";
import { type LibtorchBackend, loadAddon } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import { compareTensor, failureOf, programOf, registryOf, someFloats } from "@pt2/conformance";
import { type EagerTensor, eagerOps } from "@pt2/eager";
import { type OpSet, parseSchema } from "@pt2/registry";
import { type HostTensor, type Tensor, tensor } from "@pt2/runtime/node";
import { afterAll, describe, expect, it } from "vitest";
import { backendForKernels } from "./backend-for-kernels.test-helper.ts";
import { torchvision as portable } from "./index.ts";
import { torchvision } from "./libtorch.ts";
import { randomNumbers, randomRegions } from "./random.test-helper.ts";

const names = portable.ops.map(({ name }) => name).filter((name) => name.startsWith("torchvision::"));

const made = await backendForKernels();
const lack = typeof made === "string" ? made : "";
const here = wasm({ worker: false });
afterAll(async () => {
  await here.dispose();
  if (typeof made !== "string") await made.dispose();
});

const random = randomNumbers(11);
const below = (n: number): number => Math.floor(random() * n);

const regions = (count: number, pictures: number): HostTensor => randomRegions(random, count, pictures, true);

async function called(set: OpSet, op: string, args: readonly unknown[]): Promise<readonly Tensor[]> {
  const backend = set === torchvision ? (made as LibtorchBackend) : here;
  const { ops } = await eagerOps(backend, { ops: [set] });
  return [await ops.torchvision![op]!<Tensor | Tensor[] | Promise<Tensor>>(...(args as never[]))].flat();
}

/** Expects that a kernel gives what the decomposition gives on wasm, and returns its results. */
async function expectSame(op: string, ...args: readonly unknown[]): Promise<readonly HostTensor[]> {
  const [found, expected] = [await called(torchvision, op, args), await called(portable, op, args)];
  expect(found).toHaveLength(expected.length);
  for (const [i, { dtype, shape }] of expected.entries()) {
    const data = await expected[i]!.read();
    // The rules round each step to float16, which has 11 bits; the kernel computes in float32 and rounds once.
    const tolerance = dtype === "float16" ? { rtol: 2e-3, atol: 1e-3 } : { rtol: 1e-4, atol: 1e-5 };
    expect(await compareTensor(found[i]!, { dtype, shape, data }, tolerance)).toBeNull();
  }
  return await Promise.all(
    found.map(async (result) => tensor(result.dtype, result.shape, Array.from(await result.read(), Number))),
  );
}

describe.skipIf(lack !== "")(`kernels for libtorch${lack && ` (skipped: ${lack})`}`, () => {
  it("are those of all ops of torchvision, with the schemas of the records", async () => {
    const program = programOf(`
      user_input %x: f32[3, 4]
      user_input %s: f32[3]
      %y: i64[3] = torchvision::nms(dets=%x, scores=%s, iou_threshold=0.5)
      return %y`);
    const registry = registryOf([], [torchvision]);
    for (const precision of ["exact", "fast"] as const) {
      const executable = await (made as LibtorchBackend).compile({ program, weights: new Map(), registry, precision });
      expect(await executable.explain()).toMatch(/: torchvision::nms$/m);
      await executable.dispose();
    }
    const { addon } = await loadAddon();
    for (const name of names) {
      const record = torchvision.ops.find((op) => op.name === name)!;
      const schema = parseSchema(addon.schema(name)!);
      expect(addon.hasKernel(name, "cpu")).toBe(true);
      expect([name, schema.args]).toEqual([name, record.schema.args]);
      expect([name, schema.returns]).toEqual([name, record.schema.returns]);
    }
  });

  const bins = [1, 4].map((down) => [down, 6 - down] as const);
  it.each(bins)(
    "pool %i × %i bins as the decompositions do, for any region, forwards and backwards",
    async (down, across) => {
      const sizes = [2, 3, 9, 7] as const;
      for (const count of [40, 1]) {
        const [x, rois] = [someFloats(...sizes), regions(count, 2)];
        const grad = someFloats(count, 3, down, across);
        for (const [ratio, aligned] of [
          [-1, true],
          [-1, false],
          [3, true],
        ] as const) {
          await expectSame("roi_align", x, rois, 0.5, down, across, ratio, aligned);
          await expectSame("_roi_align_backward", grad, rois, 0.5, down, across, ...sizes, ratio, aligned);
        }
        const [, places] = await expectSame("roi_pool", x, rois, 0.5, down, across);
        await expectSame("_roi_pool_backward", grad, rois, places, 0.5, down, across, ...sizes);
        const own = [2, 3 * down * across, 9, 7] as const;
        const features = someFloats(...own);
        const [, channels] = await expectSame("ps_roi_align", features, rois, 0.5, down, across, 2);
        await expectSame("_ps_roi_align_backward", grad, rois, channels, 0.5, down, across, 2, ...own);
        await expectSame("ps_roi_pool", features, rois, 0.5, down, across);
        await expectSame("_ps_roi_pool_backward", grad, rois, channels, 0.5, down, across, ...own);
      }
    },
  );

  it("keep the boxes that the decomposition keeps: equal scores, NaN, boxes without size and with swapped corners", async () => {
    for (const [count, side] of [
      [0, 1],
      [1, 1],
      [17, 9],
      [300, 20],
      [1500, 60],
    ] as const) {
      const boxes = Array.from({ length: count }, () => {
        const [x, y] = [below(side), below(side)];
        return [x, y, x + below(9) - 1, y + below(9) - 1].map((v) => (below(200) === 0 ? Number.NaN : v));
      });
      const scores = Array.from({ length: count }, () => (below(50) === 0 ? Number.NaN : below(30) / 8));
      for (const dtype of ["float32", "float64"] as const) {
        const dets = tensor(dtype, [count, 4], boxes.flat());
        for (const threshold of [-1, 0, 0.3, 0.5, 1]) {
          await expectSame("nms", dets, tensor(dtype, [count], scores), threshold);
        }
      }
    }
  });

  it("convolve as the decomposition does, with groups, masks, and offsets far away, forwards and backwards", async () => {
    for (const [groups, offsetGroups, useMask] of [
      [1, 1, true],
      [2, 1, false],
      [1, 2, true],
      [2, 4, true],
    ] as const) {
      const [batch, channels, out, taps, down, across] = [2, 8, 6, 6, 5, 7];
      const x = someFloats(batch, channels, 9, 7);
      const weight = someFloats(out, channels / groups, 2, 3);
      const places = 2 * offsetGroups * taps;
      const far = Array.from({ length: batch * places * down * across }, () => random() * (below(9) ? 4 : 1e3) - 2);
      const offset = tensor("float32", [batch, places, down, across], far);
      const mask = useMask ? someFloats(batch, offsetGroups * taps, down, across) : someFloats(1, 1);
      const call = [x, weight, offset, mask, someFloats(out), 2, 1, 1, 1, 1, 1, groups, offsetGroups, useMask];
      const [result] = await expectSame("deform_conv2d", ...call);
      expect(result!.shape).toEqual([batch, out, down, across]);
      await expectSame("_deform_conv2d_backward", someFloats(batch, out, down, across), ...call);
    }
  });

  it.each(["float16", "float64"] as const)("do what the decompositions do in %s", async (dtype) => {
    const as = async (x: HostTensor): Promise<HostTensor> => tensor(dtype, x.shape, Array.from(await x.read(), Number));
    const [x, own] = [await as(someFloats(2, 3, 9, 7)), await as(someFloats(2, 12, 9, 7))];
    const rois = await as(regions(40, 2));
    for (const ratio of [-1, 2]) {
      await expectSame("roi_align", x, rois, 0.5, 2, 2, ratio, true);
      await expectSame("ps_roi_align", own, rois, 0.5, 2, 2, ratio);
    }
    await expectSame("roi_pool", x, rois, 0.5, 2, 2);
    await expectSame("ps_roi_pool", own, rois, 0.5, 2, 2);
    const [offset, mask] = [await as(someFloats(2, 8, 8, 6)), await as(someFloats(2, 4, 8, 6))];
    const call = [x, await as(someFloats(5, 3, 2, 2)), offset, mask, await as(someFloats(5))];
    await expectSame("deform_conv2d", ...call, 1, 1, 0, 0, 1, 1, 1, 1, true);
  });

  it("take tensors of any strides", async () => {
    const [channelsLast, rows] = [someFloats(2, 9, 7, 6), someFloats(5, 24)];
    const [places, tall] = [someFloats(8, 12, 2, 8), someFloats(6, 2, 2, 5)];
    const results = async (backend: Backend): Promise<readonly (readonly number[])[]> => {
      const { aten, ops } = await eagerOps(backend, { ops: [torchvision] });
      const { roi_align, roi_pool, ps_roi_align, ps_roi_pool, nms, deform_conv2d } = ops.torchvision!;
      const x = aten.permute(channelsLast, [0, 3, 1, 2]);
      const rois = aten.abs(aten.slice(aten.transpose(rows, 0, 1), 1, 0, 5)) as EagerTensor;
      const zeroed = aten.mul(rois, tensor([[0, 3, 3, 5, 5]]));
      const boxes = aten.slice(zeroed, 1, 1);
      const offset = aten.permute(places, [2, 0, 1, 3]);
      const weight = aten.permute(tall, [3, 0, 1, 2]);
      const mask = aten.slice(offset, 1, 0, 4);
      const call = [x, weight, offset, mask, aten.select(rows, 1, 0), 1, 1, 2, 1, 1, 1, 1, 1, true];
      const found = [
        [roi_align!(x, zeroed, 1, 2, 3, 2, true), roi_pool!(x, zeroed, 1, 2, 3)],
        [ps_roi_align!(x, zeroed, 1, 2, 3, 2), ps_roi_pool!(x, zeroed, 1, 2, 3)],
        [await nms!(boxes, aten.select(zeroed, 1, 1), 0.3), deform_conv2d!(...(call as never[]))],
      ].flat(2) as Tensor[];
      return await Promise.all(found.map(async (result) => Array.from(await result.read(), Number)));
    };
    const [found, expected] = [await results(made as LibtorchBackend), await results(here)];
    for (const [i, values] of expected.entries()) {
      expect(found[i]).toHaveLength(values.length);
      for (const [at, value] of values.entries()) expect(found[i]![at]).toBeCloseTo(value, 4);
    }
  });

  it("read no memory that is not theirs, whatever the numbers are", async () => {
    const x = someFloats(2, 4, 9, 7);
    for (const bad of [Number.NaN, Infinity, -Infinity, 3e38, -3e38, 1e9, -1e9]) {
      const rows = [1, 2, 3, 4].map((at) => [1, 2, 1, 6, 5].with(at, bad));
      const rois = tensor("float32", [4, 5], rows.flat());
      for (const ratio of [-1, 2]) {
        for (const aligned of [true, false]) {
          const [pooled] = await called(torchvision, "roi_align", [x, rois, 1, 2, 2, ratio, aligned]);
          expect(pooled!.shape).toEqual([4, 4, 2, 2]);
          await pooled!.read();
        }
        await (await called(torchvision, "ps_roi_align", [x, rois, 1, 2, 2, ratio]))[0]!.read();
      }
      await (await called(torchvision, "roi_pool", [x, rois, 1, 2, 2]))[0]!.read();
      await (await called(torchvision, "ps_roi_pool", [x, rois, 1, 2, 2]))[0]!.read();
      const offset = tensor("float32", [2, 8, 8, 6], new Array(768).fill(bad));
      const call = [x, someFloats(3, 4, 2, 2), offset, someFloats(1, 1), tensor([1, 2, 3])];
      const [result] = await called(torchvision, "deform_conv2d", [...call, 1, 1, 0, 0, 1, 1, 1, 1, false]);
      const values = Array.from(await result!.read(), Number);
      expect(values).toEqual(values.map((_, i) => (Number.isNaN(bad) ? bad : 1 + (Math.floor(i / 48) % 3))));
    }
  });

  it("give zeros for a region of a picture that is not there, and no place of the largest element", async () => {
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

  it("add nothing for a place that is not in the plane, and refuse a channel that is not there", async () => {
    const rois = tensor("float32", [1, 5], [0, 0, 0, 3, 3]);
    const grad = someFloats(1, 1, 1, 1);
    const place = tensor("int32", [1, 1, 1, 1], [9]);
    const [spread] = await called(torchvision, "_roi_pool_backward", [grad, rois, place, 1, 1, 1, 1, 1, 3, 3]);
    expect(Array.from(await spread!.read(), Number)).toEqual(new Array(9).fill(0));
    for (const [op, ...rest] of [
      ["_ps_roi_pool_backward", 1, 1, 1, 1, 1, 3, 3],
      ["_ps_roi_align_backward", 1, 1, 1, 2, 1, 1, 3, 3],
    ] as const) {
      const refused = called(torchvision, op, [grad, rois, place, ...rest]).then(
        async ([found]) => await found!.read(),
      );
      expect(await failureOf(refused)).toMatchObject({ code: "libtorch.op-failed" });
    }
  });

  it("have results without elements for features and lists without elements", async () => {
    for (const [n, c, h, w] of [
      [1, 2, 0, 3],
      [1, 2, 3, 0],
      [1, 0, 3, 3],
    ] as const) {
      await expectSame("roi_align", someFloats(n, c, h, w), regions(3, 1), 1, 2, 2, 2, true);
      await expectSame("ps_roi_pool", someFloats(n, 4 * c, h, w), regions(3, 1), 1, 2, 2);
      await expectSame("roi_pool", someFloats(n, c, h, w), regions(3, 1), 1, 2, 2);
    }
    await expectSame("roi_align", someFloats(1, 2, 3, 3), regions(3, 1), 1, 0, 2, 2, true);
    await expectSame("roi_pool", someFloats(1, 2, 3, 3), regions(3, 1), 1, 2, 0);
    await expectSame("roi_pool", someFloats(1, 2, 3, 3), regions(0, 1), 1, 2, 2);
    await expectSame("ps_roi_align", someFloats(1, 4, 3, 3), regions(0, 1), 1, 2, 2, 2);
  });
});
