import { type ModuleCall, type ModuleKernel, moduleKernel, type Temporary } from "@pt2/backend-wasm";
import type { TensorMeta } from "@pt2/registry";
import { psRoiAlign } from "../ps-roi.ts";
import { FEW_SAMPLES } from "../regions.ts";
import { roiAlign } from "../roi-align.ts";
import { MODULE } from "./module.ts";
import { acceptsRegions, regionSizes } from "./region-kernels.ts";

/** Channels lie side by side while samples are taken, so that each is a few vectors. */
export const roiAlignKernel: ModuleKernel = moduleKernel({
  ops: [roiAlign],
  module: MODULE,
  accepts: (call) => acceptsRegions(call) && call.sampling_ratio <= FEW_SAMPLES,
  calls(call, [result], temporary) {
    const [batch, channels, height, width] = call.input.shape as [number, number, number, number];
    const map = temporary("float32", [batch, height, width, channels]);
    // Regions that are not aligned are at least one pixel large.
    const rule = call.aligned ? [0.5, -Infinity, 0] : [0, 1, 0];
    return [
      ["transpose", call.input, map, batch, channels, height * width],
      align(call, map, result, channels, rule, temporary),
    ];
  },
});

/** The same where each bin has channels of its own, which are the second result. */
export const psRoiAlignKernel: ModuleKernel = moduleKernel({
  ops: [psRoiAlign],
  module: MODULE,
  accepts: (call) => acceptsRegions(call) && call.sampling_ratio <= FEW_SAMPLES,
  calls(call, [result, mapping], temporary) {
    const [batch, all, height, width] = call.input.shape as [number, number, number, number];
    const bins = call.pooled_height * call.pooled_width;
    const map = temporary("float32", [batch, bins, height, width, all / bins]);
    return [
      ["transposeBins", call.input, map, batch, all / bins, bins, height * width],
      align(call, map, result, all / bins, [0.5, -Infinity, 1], temporary),
      ["channelMapping", mapping!, call.rois.shape[0]!, all],
    ];
  },
});

interface AlignCall {
  readonly input: TensorMeta;
  readonly rois: TensorMeta;
  readonly spatial_scale: number;
  readonly pooled_height: number;
  readonly pooled_width: number;
  readonly sampling_ratio: number;
}

/** `rule`: how far regions are shifted, how large they are at least, and whether bins have channels of their own. */
function align(
  call: AlignCall,
  map: TensorMeta,
  result: TensorMeta,
  channels: number,
  rule: readonly number[],
  temporary: Temporary,
): ModuleCall {
  const { input, rois, pooled_height, pooled_width, sampling_ratio } = call;
  const [, , height, width] = input.shape as [number, number, number, number];
  const room = [
    temporary("float32", [pooled_height, pooled_width, channels]),
    temporary("int32", [pooled_height, 2 * height + 1, 2]),
    temporary("int32", [pooled_width, 2 * width + 1, 2]),
    temporary("int32", [pooled_height + pooled_width]),
    temporary("int32", [Math.max(height, width), 2]),
  ];
  const numbers = [Math.max(sampling_ratio, 0), call.spatial_scale, ...rule];
  return ["roiAlign", map, rois, result, ...room, ...regionSizes(call, channels), ...numbers];
}
