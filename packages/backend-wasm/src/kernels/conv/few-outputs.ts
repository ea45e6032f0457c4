import { type Layout, volume } from "@pt2/engine";
import { isPointwise } from "./pointwise.ts";
import type { ConvShape } from "./types.ts";
import { convOutput, isFlat } from "./window.ts";

/** Output channels that are computed together at most. Of more, a panel of a product is full enough. */
const MOST_CHANNELS = 4;
/** So many of so many input channels are left to Winograd's algorithm, whose larger tiles these have. */
const MANY_CHANNELS = 256;
/** Pixels of lines that are worth it. */
const LEAST_WIDTH = 32;
/** True for dense convolutions with few output channels, as networks that make pictures and masks end with. */
export function fitsPlanes(shape: ConvShape): boolean {
  const { groups, inChannels, outChannels, kernel, stride, transposed } = shape;
  const isDense = !transposed && groups === 1 && isFlat(shape) && stride[2] === 1 && volume(kernel) > 1;
  const isFew = outChannels < MOST_CHANNELS || (outChannels === MOST_CHANNELS && inChannels < MANY_CHANNELS);
  return isDense && isFew && convOutput(shape)[2] >= LEAST_WIDTH;
}

/** Whether a convolution makes few sums of planes, which are given as such. */
export function mixesPlanes(shape: ConvShape, { shape: sizes, strides }: Layout): boolean {
  if (!isPointwise(shape) || shape.groups > 1 || shape.outChannels > MOST_CHANNELS) return false;
  let step = 1;
  for (let axis = sizes.length - 1; axis >= 2; step *= sizes[axis--]!) {
    if (sizes[axis] !== 1 && strides[axis] !== step) return false;
  }
  return step >= LEAST_WIDTH;
}
