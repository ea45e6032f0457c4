import { type ConvolutionWindow, channelsLast, type Layout, spatial } from "@pt2/engine";
import type { ConvShape } from "./types.ts";

/** What a convolution reads and writes, as shapes or as views. */
export interface Convolved<Read, Written extends Layout = Layout> {
  readonly window: ConvolutionWindow;
  readonly input: Read;
  readonly weight: Read;
  readonly out: Written;
}

/** The shape that kernels are chosen by. */
export function convShape({ window, input, weight, out }: Convolved<readonly number[]>): ConvShape {
  const { groups, transposed } = window;
  return {
    batch: input[0]!,
    inChannels: input[1]!,
    outChannels: transposed ? weight[1]! * groups : weight[0]!,
    outPixel: pixelStrideOf(out)!,
    groups,
    input: spatial(input.slice(2), 1),
    kernel: spatial(weight.slice(2), 1),
    stride: spatial(window.stride, 1),
    dilation: spatial(window.dilation, 1),
    padding: spatial(window.padding, 0),
    paddingEnd: spatial(window.paddingEnd, 0),
    transposed,
    outputPadding: spatial(window.outputPadding, 0),
  };
}

/**
 * Elements between neighboring pixels, where the channels of each lie side by side and all pixels at one distance: dense
 * channels-last data, and slices of their channels. Null elsewhere.
 */
export function pixelStrideOf({ shape, strides }: Layout): number | null {
  const channels = shape[1]!;
  const dense = channelsLast(shape);
  const axes = [...shape.keys()].filter((axis) => axis !== 1 && shape[axis] !== 1);
  const last = axes.at(-1);
  if (channels > 1 && strides[1] !== 1) return null;
  if (last === undefined) return channels;
  const pixel = (strides[last]! * channels) / dense[last]!;
  const even = axes.every((axis) => strides[axis]! * channels === dense[axis]! * pixel);
  return even && Number.isInteger(pixel) && pixel >= channels ? pixel : null;
}
