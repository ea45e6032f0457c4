// What the arguments of ops with windows, convolutions and poolings, mean for each axis.

import type { OpRecord, Window } from "@pt2/registry";

/** The convolutions that backends run as they are; the others become these. */
export const CONVOLUTIONS = [
  "aten::convolution",
  "aten::conv1d",
  "aten::conv2d",
  "aten::conv3d",
  "aten::conv1d.padding",
  "aten::conv2d.padding",
  "aten::conv3d.padding",
  "aten::conv_transpose1d",
  "aten::conv_transpose2d.input",
  "aten::conv_transpose3d.input",
] as const;

/** Sliding maxima and means of one to three dimensions; some give the positions of maxima too. */
export const SLIDING_POOLS = [
  "aten::max_pool1d",
  "aten::max_pool2d",
  "aten::max_pool3d",
  "aten::max_pool1d_with_indices",
  "aten::max_pool2d_with_indices",
  "aten::max_pool3d_with_indices",
  "aten::avg_pool1d",
  "aten::avg_pool2d",
  "aten::avg_pool3d",
] as const;

/** Poolings to a given output size. */
export const ADAPTIVE_POOLS = [
  "aten::adaptive_avg_pool1d",
  "aten::adaptive_avg_pool2d",
  "aten::adaptive_avg_pool3d",
  "aten::_adaptive_avg_pool2d",
  "aten::_adaptive_avg_pool3d",
  "aten::adaptive_max_pool1d",
  "aten::adaptive_max_pool2d",
  "aten::adaptive_max_pool3d",
] as const;

/** Numbers along depth, height and width; tensors of fewer dimensions have neutral ones in front. */
export type Spatial = readonly [depth: number, height: number, width: number];

/** The arguments of a convolution that say how it moves over its input. */
export interface ConvolutionArgs {
  readonly stride: readonly number[];
  readonly dilation: readonly number[];
  readonly padding: string | readonly number[];
  readonly transposed?: boolean | undefined;
  readonly output_padding?: readonly number[] | undefined;
  readonly groups: number;
}

/** The arguments of a sliding pooling that say how it moves over its input. */
export interface PoolingArgs {
  readonly kernel_size: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation?: readonly number[] | undefined;
  readonly count_include_pad?: boolean | undefined;
}

/** One number for each axis. */
interface Steps {
  readonly stride: readonly number[];
  /** The padding before the first element. */
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
}

/** How a convolution moves over its input. */
export interface ConvolutionWindow extends Steps {
  /** The padding after the last element. */
  readonly paddingEnd: readonly number[];
  readonly transposed: boolean;
  readonly outputPadding: readonly number[];
  readonly groups: number;
}

/** The windows of a sliding pooling. */
export interface PoolingWindow extends Steps {
  readonly kernel: readonly number[];
  /** Whether means also divide by the padding inside the window. */
  readonly countsPadding: boolean;
}

/** Returns the sizes of one to three dimensions, with `fill` in front. */
export function spatial(sizes: readonly number[], fill: number): Spatial {
  const [w = fill, h = fill, d = fill] = [...sizes].reverse();
  return [d, h, w];
}

/** Returns the product of the three numbers. */
export function volume([d, h, w]: Spatial): number {
  return d * h * w;
}

/** Reads the arguments of any of the convolution ops, whose kernel has these sizes. */
export function convolutionWindow(
  { window }: Pick<OpRecord, "window">,
  args: ConvolutionArgs,
  kernel: readonly number[],
): ConvolutionWindow {
  const rank = kernel.length;
  const zeros = kernel.map(() => 0);
  const transposed = args.transposed === true || window?.transposed === true;
  const dilation = perAxis(args.dilation, rank);
  const { padding } = args;
  const given = typeof padding === "string" ? zeros : perAxis(padding, rank);
  const same = kernel.map((size, d) => (padding === "same" ? (size - 1) * dilation[d]! : 0));
  return {
    stride: perAxis(args.stride, rank),
    padding: given.map((size, d) => size + Math.floor(same[d]! / 2)),
    paddingEnd: given.map((size, d) => size + Math.ceil(same[d]! / 2)),
    dilation,
    transposed,
    outputPadding: transposed ? perAxis(args.output_padding, rank) : zeros,
    groups: args.groups,
  };
}

/**
 * Limits the steps of a window to the length of what it moves over: longer ones are never taken, and might not fit the
 * integers that a backend computes with. `sizes` are those of the larger side: of the input, or of the result of a
 * transposed convolution.
 */
export function withinReach<W extends Steps>(window: W, sizes: readonly number[]): W {
  const within = (steps: readonly number[]): readonly number[] =>
    steps.map((step, d) => Math.min(step, Math.max(1, sizes[d]! + 2 * window.padding[d]!)));
  return { ...window, stride: within(window.stride), dilation: within(window.dilation) };
}

/** Reads the arguments of ops such as `max_pool2d` and `avg_pool2d`, some of which have no dilation. */
export function poolingWindow({ rank }: Window, args: PoolingArgs): PoolingWindow {
  const kernel = perAxis(args.kernel_size, rank);
  return {
    kernel,
    stride: perAxis(args.stride, rank, kernel),
    padding: perAxis(args.padding, rank),
    dilation: perAxis(args.dilation, rank, new Array<number>(rank).fill(1)),
    countsPadding: args.count_include_pad === true,
  };
}

/** Returns the window that the record of a pooling declares. */
export function windowOf({ name, window }: Pick<OpRecord, "name" | "window">): Window {
  if (window === undefined) throw new Error(`The record of ${name} does not declare a window`);
  return window;
}

/** PyTorch lets a list of one element stand for all axes, and gives an empty list a meaning of its own. */
function perAxis(
  given: readonly number[] | undefined,
  rank: number,
  otherwise: readonly number[] = new Array<number>(rank).fill(0),
): readonly number[] {
  return Array.from({ length: rank }, (_, d) => given?.[d] ?? given?.[0] ?? otherwise[d]!);
}
