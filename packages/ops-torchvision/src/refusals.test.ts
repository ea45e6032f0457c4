import { wasm } from "@pt2/backend-wasm/node";
import { failureOf, someFloats } from "@pt2/conformance";
import { eagerOps } from "@pt2/eager";
import { type HostTensor, tensor } from "@pt2/runtime/node";
import { afterAll, describe, expect, it } from "vitest";
import { torchvision } from "./wasm.ts";

const backend = wasm({ worker: false });
afterAll(async () => await backend.dispose());
const { ops } = await eagerOps(backend, { ops: [torchvision] });

const x = someFloats(1, 4, 5, 7);
const rois = tensor([[0, 1, 1, 4, 4]]);
const grad = someFloats(1, 4, 2, 2);
const own = someFloats(1, 1, 2, 2);
const ints = (...shape: number[]): HostTensor =>
  tensor("int32", shape, new Array(shape.reduce((a, b) => a * b, 1)).fill(0));
const deformed = [x, someFloats(3, 4, 2, 2), someFloats(1, 8, 4, 6), someFloats(1, 1), someFloats(3)];
const window = [1, 1, 0, 0, 1, 1];
const columns = [x, deformed[2], deformed[3]];

/** Calls that no kernel may be given. */
const CALLS: readonly (readonly [op: string, args: readonly unknown[], what: RegExp])[] = [
  ["torchvision::roi_align", [x, someFloats(1, 4), 1, 2, 2, 2, true], /Tensor\[K, 5\]/],
  ["torchvision::roi_align", [x, rois, 1, -1, 2, 2, true], /must not be negative/],
  ["torchvision::roi_align", [x, rois, 1, 2 ** 33, 2, 2, true], /./],
  ["torchvision::roi_align", [x, rois, 1, 2, 2, 2 ** 40, true], /sampling_ratio/],
  ["torchvision::ps_roi_align", [x, rois, 1, 0, 2, 2], /must be positive/],
  ["torchvision::ps_roi_align", [x, rois, 1, 3, 1, 2], /multiple/],
  ["torchvision::ps_roi_align", [x, rois, 1, -2, -2, 2], /must not be negative/],
  ["torchvision::roi_pool", [someFloats(4, 5, 7), rois, 1, 2, 2], /four dimensions/],
  ["torchvision::roi_pool", [x, rois, 1, 2, -1], /must not be negative/],
  ["torchvision::ps_roi_pool", [x, rois, 1, 2, 0], /must be positive/],
  ["torchvision::_roi_align_backward", [grad, rois, 1, 2, 3, 1, 4, 5, 7, 2, true], /grad must be/],
  ["torchvision::_roi_align_backward", [grad, rois, 1, 2, 2, 1, 4, -5, 7, 2, true], /must not be negative/],
  ["torchvision::_roi_pool_backward", [grad, rois, ints(1, 4, 2, 1), 1, 2, 2, 1, 4, 5, 7], /argmax must be/],
  ["torchvision::_ps_roi_align_backward", [own, rois, ints(1, 1, 2, 2), 1, 2, 2, 2, 1, 5, 5, 7], /multiple/],
  ["torchvision::_ps_roi_pool_backward", [own, rois, ints(1, 1, 2, 2), 1, 2, 2, 1, 8, 5, 7], /grad must be/],
  [
    "torchvision::deform_conv2d",
    [...deformed.with(2, someFloats(1, 8, 4, 5)), ...window, 1, 1, false],
    /offset must be/,
  ],
  ["torchvision::deform_conv2d", [...deformed, ...window.with(0, 0), 1, 1, false], /stride/],
  ["torchvision::deform_conv2d", [...deformed, ...window, 1, 3, false], /offset groups/],
  [
    "torchvision::_deform_conv2d_backward",
    [someFloats(1, 3, 4, 5), ...deformed, ...window, 1, 1, false],
    /grad must be/,
  ],
  ["pt2_torchvision::deformed_columns", [...columns, 3, 2, ...window, 1, false], /offset must be/],
  ["pt2_torchvision::deformed_columns", [...columns, -2, -2, ...window, 1, false], /kernel/],
  ["pt2_torchvision::deformed_columns", [...columns, 2, 2, ...window, 1, true], /mask must be/],
  ["pt2_torchvision::nms_kept", [someFloats(3, 4), someFloats(2), 0.5], /same number/],
  ["pt2_torchvision::nms_kept", [someFloats(3, 2), someFloats(3), 0.5], /4 elements/],
  ["torchvision::nms", [someFloats(3, 4), tensor("float64", [3], [1, 2, 3]), 0.5], /same type/],
];

describe("calls whose sizes do not fit are refused before they run", () => {
  it.each(CALLS)("%s %#", async (op, args, what) => {
    const [space, name] = op.split("::") as [string, string];
    const call = async (): Promise<unknown> => {
      const result = await ops[space]![name]!<unknown>(...(args as never[]));
      return await Promise.all([result].flat().map(async (each) => await (each as HostTensor).read()));
    };
    expect(await failureOf(call())).toMatchObject({
      code: expect.stringMatching(/^\w+\.(?!internal)/),
      what: expect.stringMatching(what),
    });
  });
});
