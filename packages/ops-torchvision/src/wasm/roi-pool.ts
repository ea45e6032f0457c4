import { type ModuleKernel, moduleKernel } from "@pt2/backend-wasm";
import { psRoiPool } from "../ps-roi.ts";
import { roiPool } from "../roi-pool.ts";
import { MODULE } from "./module.ts";
import { acceptsRegions, regionSizes } from "./region-kernels.ts";

/** Channels lie side by side while they are compared. */
export const roiPoolKernel: ModuleKernel = moduleKernel({
  ops: [roiPool],
  module: MODULE,
  accepts: acceptsRegions,
  calls(call, [result, argmax], temporary) {
    const { input, rois, pooled_height, pooled_width } = call;
    const [batch, channels, height, width] = input.shape as [number, number, number, number];
    const map = temporary("float32", [batch, height, width, channels]);
    const room = [
      temporary("float32", [pooled_height, pooled_width, channels]),
      temporary("int32", [pooled_height, pooled_width, channels]),
      temporary("int32", [pooled_height + pooled_width, 2]),
    ];
    return [
      ["transpose", input, map, batch, channels, height * width],
      ["roiPool", map, rois, result, argmax!, ...room, ...regionSizes(call, channels), call.spatial_scale],
    ];
  },
});

/** Each bin has channels of its own, which are the second result. */
export const psRoiPoolKernel: ModuleKernel = moduleKernel({
  ops: [psRoiPool],
  module: MODULE,
  accepts: acceptsRegions,
  calls(call, [result, mapping], temporary) {
    const { input, rois, pooled_height, pooled_width } = call;
    const [batch, all, height, width] = input.shape as [number, number, number, number];
    const bins = pooled_height * pooled_width;
    const map = temporary("float32", [batch, bins, height, width, all / bins]);
    const room = [
      temporary("float32", [bins, all / bins]),
      temporary("int32", [pooled_height + pooled_width, 2]),
      temporary("int32", [height, 2]),
      temporary("int32", [width, 2]),
    ];
    return [
      ["transposeBins", input, map, batch, all / bins, bins, height * width],
      ["psRoiPool", map, rois, result, ...room, ...regionSizes(call, all / bins), call.spatial_scale],
      ["channelMapping", mapping!, rois.shape[0]!, all],
    ];
  },
});
