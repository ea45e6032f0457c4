import type { TensorMeta } from "@pt2/registry";

/** What the kernels for regions read of a call. */
interface RegionCall {
  readonly input: TensorMeta;
  readonly rois: TensorMeta;
  readonly pooled_height: number;
  readonly pooled_width: number;
}

/** Whether the kernels take a call: float32, and something to compute; what is left has no elements, or is zero. */
export function acceptsRegions({ input, rois, pooled_height, pooled_width }: RegionCall): boolean {
  const sizes = [...input.shape, rois.shape[0]!, pooled_height, pooled_width];
  return input.dtype === "float32" && rois.dtype === "float32" && !sizes.includes(0);
}

/** The sizes that they all are given after addresses, where each pixel of the map has `channels`. */
export function regionSizes({ input, rois, pooled_height, pooled_width }: RegionCall, channels: number): number[] {
  const [batch, , height, width] = input.shape as [number, number, number, number];
  return [batch, channels, height, width, rois.shape[0]!, pooled_height, pooled_width];
}
