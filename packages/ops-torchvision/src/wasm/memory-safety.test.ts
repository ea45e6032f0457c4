import type { ModuleKernel } from "@pt2/backend-wasm";
import type { OpRecord } from "@pt2/registry";
import { describe, expect, it } from "vitest";
import { deformedColumns, nmsKept, psRoiAlign, psRoiPool, roiAlign, roiPool } from "../index.ts";
import { randomNumbers } from "../random.test-helper.ts";
import { deformedColumnsKernel } from "./deformed-columns.ts";
import { type Given, guardedRun } from "./guarded-run.test-helper.ts";
import { nmsKernel } from "./nms.ts";
import { psRoiAlignKernel, roiAlignKernel } from "./roi-align.ts";
import { psRoiPoolKernel, roiPoolKernel } from "./roi-pool.ts";

const random = randomNumbers(23);
const below = (n: number): number => Math.floor(random() * n);

/** Numbers that a program can hold: ordinary ones, and any bits. */
function anyFloats(...shape: readonly number[]): Given {
  const count = shape.reduce((product, size) => product * size, 1);
  const bits = new Uint32Array(count);
  const floats = new Float32Array(bits.buffer);
  for (let i = 0; i < count; i++) {
    if (below(4) === 0) bits[i] = random() * 2 ** 32;
    else floats[i] = below(3) === 0 ? below(40) - 20 : random() * 60 - 20;
  }
  return { dtype: "float32", shape, bytes: new Uint8Array(bits.buffer) };
}

const SCALES = [1, 0.5, -1, 0, 1e30, 1e-30, Number.NaN, Infinity];

/** A call of an op on regions whose sizes and numbers are anything. */
function regionCall(own: boolean): Record<string, Given | number | boolean> {
  const [down, across] = [1 + below(5), 1 + below(5)];
  const channels = (1 + below(37)) * (own ? down * across : 1);
  const sizes = [1 + below(3), channels, 1 + below(13), 1 + below(13)];
  return {
    input: anyFloats(...sizes),
    rois: anyFloats(1 + below(9), 5),
    spatial_scale: SCALES[below(SCALES.length)]!,
    pooled_height: down,
    pooled_width: across,
  };
}

const align = (own: boolean) => () => ({
  ...regionCall(own),
  sampling_ratio: [-1, 0, 1, 2, 65, 256][below(6)]!,
  ...(!own && { aligned: below(2) === 0 }),
});

function columnsCall(): Record<string, Given | number | boolean> {
  const groups = 1 + below(3);
  const [n, c, h, w] = [1 + below(2), groups * (1 + below(9)), 1 + below(9), 1 + below(9)];
  const [kernel_h, kernel_w] = [1 + below(Math.min(h, 3)), 1 + below(Math.min(w, 3))];
  const [stride_h, stride_w, pad_h, pad_w] = [1 + below(3), 1 + below(3), below(3), below(3)];
  const down = Math.floor((h + 2 * pad_h - kernel_h) / stride_h) + 1;
  const across = Math.floor((w + 2 * pad_w - kernel_w) / stride_w) + 1;
  const use_mask = below(2) === 0;
  return {
    input: anyFloats(n, c, h, w),
    offset: anyFloats(n, 2 * groups * kernel_h * kernel_w, down, across),
    mask: use_mask ? anyFloats(n, groups * kernel_h * kernel_w, down, across) : anyFloats(1, 1),
    ...{ kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, dilation_h: 1, dilation_w: 1 },
    offset_groups: groups,
    use_mask,
  };
}

function boxesCall(): Record<string, Given | number> {
  const n = below(70);
  const iou_threshold = [0, 0.5, 1, -1, Number.NaN, Infinity, -Infinity][below(7)]!;
  return { dets: anyFloats(n, 4), scores: anyFloats(n), iou_threshold };
}

const KERNELS: readonly (readonly [string, ModuleKernel, OpRecord, () => Record<string, Given | number | boolean>])[] =
  [
    ["roi_align", roiAlignKernel, roiAlign, align(false)],
    ["ps_roi_align", psRoiAlignKernel, psRoiAlign, align(true)],
    ["roi_pool", roiPoolKernel, roiPool, () => regionCall(false)],
    ["ps_roi_pool", psRoiPoolKernel, psRoiPool, () => regionCall(true)],
    ["deformed_columns", deformedColumnsKernel, deformedColumns, columnsCall],
    ["nms_kept", nmsKernel, nmsKept, boxesCall],
  ];

describe("kernels in WebAssembly stay inside of their tensors, and read nothing that was not written", () => {
  it.each(KERNELS)("%s, whatever sizes and numbers are", (_, kernel, record, makeCall) => {
    for (let round = 0; round < 80; round++) {
      const call = makeCall();
      expect(record.validate!(call as never)).toBeNull();
      expect(kernel.accepts!(call as never)).toBe(true);
      const [found, again] = [0, 0xff].map((poison) => guardedRun(kernel, record, call as never, poison));
      expect(again!.every((bytes, i) => Buffer.compare(bytes, found![i]!) === 0)).toBe(true);
    }
  });

  it("a guard notices a kernel that goes too far", () => {
    const call = { ...regionCall(false), pooled_height: 1, pooled_width: 1 };
    const calls: ModuleKernel["calls"] = (args, results, temporary) =>
      // One region more than there are.
      roiPoolKernel.calls(args, results, temporary).map(([name, ...rest]) => {
        if (name === "roiPool") (rest[11] as number) = (rest[11] as number) + 1;
        return [name, ...rest] as never;
      });
    expect(() => guardedRun({ ...roiPoolKernel, calls }, roiPool, call as never, 0)).toThrow(/beside the tensors/);
  });
});
