import { type LibtorchBackend, type LibtorchSources, libtorch, type OpResult } from "@pt2/backend-libtorch/node";
import { compareTensor, failureOf, programOf, registryOf, someFloats } from "@pt2/conformance";
import { defineOp, type OpSet } from "@pt2/registry";
import { type DType, type HostTensor, type Tensor, tensor } from "@pt2/runtime/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { backendForKernels } from "./backend-for-kernels.test-helper.ts";
import { goldenCalls } from "./golden-calls.test-helper.ts";
import { torchvision } from "./libtorch.ts";
import { randomNumbers, randomRegions } from "./random.test-helper.ts";

/** The kernels in CUDA as plain C++, which call each index in turn, under names of their own. */
const sources: LibtorchSources = {
  ops: ["torchvision_emulated::nms"],
  sources: ["cuda/emulated.test-helper.cc", "deformed.cc"].map((file) => new URL(`../native/${file}`, import.meta.url)),
  flags: ["-O1", "-ffp-contract=off"],
  oldest: "2.11",
};
const schema = "torchvision_emulated::nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor";
const emulation: OpSet = { name: "emulation", ops: [defineOp(schema)], kernels: { libtorch: [sources] } };

/** Loads the library that has the `nms` of a namespace, and expects that it is what computes. */
async function loadKernels(backend: LibtorchBackend, namespace: string, set: OpSet): Promise<void> {
  const program = programOf(`
    user_input %x: f32[3, 4]
    user_input %s: f32[3]
    %y: i64[3] = ${namespace}::nms(dets=%x, scores=%s, iou_threshold=0.5)
    return %y`);
  const executable = await backend.compile({ program, weights: new Map(), registry: registryOf([], [set]) });
  expect(await executable.explain()).toMatch(new RegExp(`: ${namespace}::nms$`, "m"));
  await executable.dispose();
}

const here = await backendForKernels(1);
const lack = typeof here === "string" ? here : "";
const gpus = typeof here === "string" ? "" : here.info().cuda;
const gpu = typeof gpus !== "string" && gpus.devices.length > 0 ? await libtorch({ device: "cuda" }) : null;
/** Hardware: nothing that can be installed, so also a machine that has to have everything may lack it. */
const NO_GPU = "there is no NVIDIA GPU";
const lackOfGpu = lack || (gpu === null ? NO_GPU : "");
afterAll(async () => {
  for (const backend of [here, gpu]) if (backend !== null && typeof backend !== "string") await backend.dispose();
});

const random = randomNumbers(17);
const below = (n: number): number => Math.floor(random() * n);
const regions = (count: number, pictures: number): HostTensor => randomRegions(random, count, pictures, true);
const cast = async (x: HostTensor, dtype: DType): Promise<HostTensor> =>
  tensor(dtype, x.shape, Array.from(await x.read(), Number));

const EXACT = { rtol: 0, atol: 0 };
/** Sums of gradients and products of matrices have another order. */
const SUMS = { rtol: 1e-4, atol: 1e-5 };

describe.each([
  ["as C++", lack, "torchvision_emulated", () => here as LibtorchBackend],
  ["on a GPU", lackOfGpu, "torchvision", () => gpu as LibtorchBackend],
] as const)("kernels in CUDA, %s", (_, missing, namespace, backend) => {
  if (missing === NO_GPU) return it("wait for hardware", ({ skip }) => skip(missing));
  if (missing !== "") return it.skip(`(skipped: ${missing})`);

  beforeAll(async () => {
    await loadKernels(here as LibtorchBackend, "torchvision", torchvision);
    await loadKernels(backend(), namespace, namespace === "torchvision" ? torchvision : emulation);
  }, 240_000);

  type Args = Parameters<LibtorchBackend["call"]>[1] & readonly unknown[];
  const called = (op: string, args: Args): Promise<readonly OpResult[]> => backend().call(`${namespace}::${op}`, args);

  /** Expects that a kernel gives what the one for CPUs gives, and returns the results of that. */
  async function expectSame(op: string, args: Args, tolerance = EXACT): Promise<readonly Tensor[]> {
    const expected = (await (here as LibtorchBackend).call(`torchvision::${op}`, args)) as readonly Tensor[];
    const found = (await called(op, args)) as readonly Tensor[];
    expect(found).toHaveLength(expected.length);
    for (const [i, result] of expected.entries()) {
      const { dtype, shape } = result;
      expect(await compareTensor(found[i]!, { dtype, shape, data: await result.read() }, tolerance)).toBeNull();
    }
    return expected;
  }

  it("do what those for CPUs do with the calls whose results torchvision's kernels gave", async () => {
    for (const file of ["nms", "roi-align", "roi-pool", "ps-roi", "deform-conv2d"]) {
      for (const { op, tensors, numbers } of await goldenCalls(file)) {
        const args = [...Object.values(tensors), ...Object.values(numbers)];
        // A matrix of float16 holds rounded elements, and there are up to 36 in a sum.
        const half = op === "deform_conv2d" && tensors.input?.dtype === "float16";
        await expectSame(op, args, half ? { rtol: 1e-2, atol: 1e-2 } : op === "deform_conv2d" ? SUMS : EXACT);
      }
    }
  });

  it.each([1, 4])("pool any region into %i rows of bins, forwards and backwards", async (down) => {
    const [across, sizes] = [6 - down, [2, 3, 9, 7]] as const;
    const own = [2, 3 * down * across, 9, 7] as const;
    for (const dtype of ["float32", "float64", "float16"] as const) {
      const [x, features] = [await cast(someFloats(...sizes), dtype), await cast(someFloats(...own), dtype)];
      const rois = await cast(regions(60, 2), dtype);
      const grad = await cast(someFloats(60, 3, down, across), dtype);
      // Gradients of float16 are sums of float32 that are rounded once.
      const sums = dtype === "float16" ? { rtol: 2e-3, atol: 1e-3 } : SUMS;
      for (const ratio of [-1, 3]) {
        for (const aligned of [true, false]) {
          await expectSame("roi_align", [x, rois, 0.5, down, across, ratio, aligned]);
          const call = [grad, rois, 0.5, down, across, ...sizes, ratio, aligned];
          await expectSame("_roi_align_backward", call, sums);
        }
        const [, channels] = await expectSame("ps_roi_align", [features, rois, 0.5, down, across, ratio]);
        const call = [grad, rois, channels!, 0.5, down, across, ratio, ...own];
        await expectSame("_ps_roi_align_backward", call, sums);
      }
      const [, places] = await expectSame("roi_pool", [x, rois, 0.5, down, across]);
      await expectSame("_roi_pool_backward", [grad, rois, places!, 0.5, down, across, ...sizes], sums);
      const [, channels] = await expectSame("ps_roi_pool", [features, rois, 0.5, down, across]);
      await expectSame("_ps_roi_pool_backward", [grad, rois, channels!, 0.5, down, across, ...own], sums);
    }
  });

  it("keep the same boxes: equal scores, NaN, boxes without size and with swapped corners", async () => {
    for (const count of [0, 1, 63, 64, 65, 1500]) {
      const side = Math.ceil(Math.sqrt(count)) + 3;
      const boxes = Array.from({ length: count }, () => {
        const [x, y] = [below(side), below(side)];
        return [x, y, x + below(9) - 1, y + below(9) - 1].map((v) => (below(200) === 0 ? Number.NaN : v));
      });
      const scores = Array.from({ length: count }, () => (below(50) === 0 ? Number.NaN : below(30) / 8));
      for (const dtype of ["float32", "float64", "float16"] as const) {
        const [dets, by] = [tensor(dtype, [count, 4], boxes.flat()), tensor(dtype, [count], scores)];
        for (const threshold of [-1, 0, 0.3, 1]) await expectSame("nms", [dets, by, threshold]);
      }
    }
  });

  it("convolve with groups, masks, and offsets far away, in parts of a batch, forwards and backwards", async () => {
    for (const [groups, offsetGroups, useMask] of [
      [1, 1, true],
      [2, 1, false],
      [1, 2, true],
      [2, 4, true],
    ] as const) {
      const [batch, channels, out, taps, down, across] = [5, 8, 6, 6, 5, 7];
      const weight = someFloats(out, channels / groups, 2, 3);
      const places = 2 * offsetGroups * taps;
      const far = Array.from({ length: batch * places * down * across }, () => {
        const kind = below(40);
        return kind === 0 ? Number.NaN : kind === 1 ? Infinity : random() * (kind < 5 ? 1e3 : 4) - 2;
      });
      const offset = tensor("float32", [batch, places, down, across], far);
      const mask = useMask ? someFloats(batch, offsetGroups * taps, down, across) : someFloats(1, 1);
      const call = [someFloats(batch, channels, 9, 7), weight, offset, mask, someFloats(out)];
      const numbers = [2, 1, 1, 1, 1, 1, groups, offsetGroups, useMask];
      await expectSame("deform_conv2d", [...call, ...numbers], SUMS);
      await expectSame("_deform_conv2d_backward", [someFloats(batch, out, down, across), ...call, ...numbers], SUMS);
    }
  });

  it("add nothing for places and channels that are not there", async () => {
    const [rois, grad] = [tensor("float32", [1, 5], [0, 0, 0, 3, 3]), someFloats(1, 1, 1, 1)];
    for (const wrong of [-1, 9, 2 ** 31 - 1, -(2 ** 31)]) {
      const place = tensor("int32", [1, 1, 1, 1], [wrong]);
      for (const [op, ...rest] of [
        ["_roi_pool_backward", 1, 1, 1, 1, 1, 3, 3],
        ["_ps_roi_pool_backward", 1, 1, 1, 1, 1, 3, 3],
        ["_ps_roi_align_backward", 1, 1, 1, 2, 1, 1, 3, 3],
      ] as const) {
        const [spread] = (await called(op, [grad, rois, place, ...rest])) as readonly Tensor[];
        expect(Array.from(await spread!.read(), Number)).toEqual(new Array(9).fill(0));
      }
    }
  });

  it("refuse what does not fit before they read anything", async () => {
    const [x, rois] = [someFloats(1, 4, 3, 3), someFloats(2, 5)];
    for (const [op, args] of [
      ["roi_align", [x, someFloats(2, 4), 1, 2, 2, 2, true]],
      ["roi_align", [x, rois, 1, 2, 2, 2 ** 20, true]],
      ["roi_pool", [x, await cast(rois, "float64"), 1, 2, 2]],
      ["ps_roi_align", [x, rois, 1, 3, 3, 2]],
      ["nms", [someFloats(3, 4), someFloats(2), 0.5]],
      ["deform_conv2d", [x, someFloats(1, 4, 1, 1), someFloats(1, 2, 3, 2), x, x, 1, 1, 0, 0, 1, 1, 1, 1, false]],
    ] as const) {
      expect(await failureOf(called(op, [...args]))).toMatchObject({ code: "libtorch.op-failed" });
    }
  });
});
