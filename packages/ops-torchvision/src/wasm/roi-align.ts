import { type ModuleKernel, moduleKernel } from "@pt2/backend-wasm";
import { roiAlign } from "../roi-align.ts";
import { MODULE } from "./module.ts";

/** With as many samples as a bin covers pixels, a kernel would take as long as a region is large. */
const MOST_SAMPLES = 16;

/** Channels lie side by side while samples are taken, so that each is a few vectors. */
export const roiAlignKernel: ModuleKernel = moduleKernel({
  ops: [roiAlign],
  module: MODULE,
  accepts: ({ input, rois, sampling_ratio }) =>
    input.dtype === "float32" &&
    rois.dtype === "float32" &&
    sampling_ratio > 0 &&
    sampling_ratio <= MOST_SAMPLES &&
    !input.shape.includes(0),
  calls({ input, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned }, [result], temporary) {
    const [batch, channels, height, width] = input.shape as [number, number, number, number];
    const map = temporary("float32", [batch, height, width, channels]);
    const bins = temporary("float32", [pooled_height, pooled_width, channels]);
    const sizes = [batch, channels, height, width, rois.shape[0]!, pooled_height, pooled_width, sampling_ratio];
    // Regions that are not aligned are at least one pixel large.
    const [shift, least] = aligned ? [0.5, -Infinity] : [0, 1];
    return [
      ["transpose", input, map, batch, channels, height * width],
      ["roiAlign", map, rois, result, bins, ...sizes, spatial_scale, shift, least],
    ];
  },
});
