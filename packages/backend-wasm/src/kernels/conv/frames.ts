import { type ConvolutionWindow, channelsLast, type Layout } from "@pt2/engine";
import { numel } from "@pt2/format";
import type { KernelCall } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { type Convolved, convShape } from "./conv-shape.ts";
import { chooseAlgorithm } from "./plan-conv.ts";
import { type WinogradAlgorithm, winogradOf } from "./winograd.ts";

/** The most bytes of a video with the channels of all frames under a kernel. */
const MOST_BYTES = 64 * 1024 * 1024;

/** The shapes of a convolution of images, where each frame of a video is convolved by itself; null otherwise. */
export function sizesOfImages(conv: Convolved<readonly number[]>): Convolved<readonly number[]> | null {
  const { window, input, weight, out } = conv;
  const frames = isOfFrames(window, weight[2]!) ? framesOf(out) : null;
  if (frames === null) return null;
  return { window: windowOfFrame(window), input: shapeOfFrames(input), weight: weight.toSpliced(2, 1), out: frames };
}

/** A convolution of videos as one of images, where each frame is convolved by itself or that takes less time. */
export function ofImages(
  call: KernelCall,
  given: Convolved<TensorView, TensorView>,
): Convolved<TensorView, TensorView> {
  const conv = gainsByJoining(call, given) ? underKernels(call, given) : given;
  const { window, input, weight, out } = conv;
  const frames = isOfFrames(window, weight.shape[2]!) ? framesOf(out) : null;
  if (frames === null) return conv;
  const images = framesOf(input) ?? framesOf(call.withStrides(input, channelsLast(input.shape)))!;
  return { window: windowOfFrame(window), input: images, weight: withoutFrames(weight), out: frames };
}

/** Whether a convolution over several frames is one of images that Winograd's algorithm computes. */
function gainsByJoining(
  { exact }: KernelCall,
  { window, input, weight, out }: Convolved<TensorView, TensorView>,
): boolean {
  const [outputs, channels, frames, ...filter] = weight.shape as readonly [number, number, number, ...number[]];
  const isCandidate = window.stride.length === 3 && !window.transposed && window.groups === 1 && frames > 1;
  if (exact || !isCandidate || weight.buffer.constant === null) return false;
  const joined = [input.shape[0]!, frames * channels, out.shape[2]!, ...input.shape.slice(3)];
  const images = shapeOfFrames(out.shape);
  const shape = convShape({
    window: windowOfFrame(window),
    input: shapeOfFrames(joined),
    weight: [outputs, frames * channels, ...filter],
    out: { shape: images, strides: channelsLast(images) },
  });
  return 4 * numel(joined) <= MOST_BYTES && winogradOf(shape).includes(chooseAlgorithm(shape) as WinogradAlgorithm);
}

/** Whether each frame of a video is convolved by itself. */
function isOfFrames({ transposed, stride, padding, paddingEnd }: ConvolutionWindow, frames: number): boolean {
  const isEach = stride[0] === 1 && padding[0] === 0 && paddingEnd[0] === 0;
  return stride.length === 3 && !transposed && frames === 1 && isEach;
}

/** The window of a frame. */
function windowOfFrame(window: ConvolutionWindow): ConvolutionWindow {
  const { stride, padding, paddingEnd, dilation } = window;
  const [steps, before, after, apart] = [stride, padding, paddingEnd, dilation].map((sides) => sides.slice(1));
  return { ...window, stride: steps!, padding: before!, paddingEnd: after!, dilation: apart! };
}

/** The shape [batch * frames, channels, height, width] of a video's frames. */
function shapeOfFrames([batch, channels, frames, ...sides]: readonly number[]): readonly number[] {
  return [batch! * frames!, channels!, ...sides];
}

/** The frames of a video as the images of a batch; null where they are not at equal distances. */
function framesOf<View extends Layout>(video: View): View | null {
  const { shape, strides } = video;
  const [n, c, d, ...sides] = strides as readonly [number, number, number, ...number[]];
  const [batch, , frames] = shape as readonly [number, number, number];
  if (batch > 1 && frames > 1 && n !== frames * d) return null;
  return { ...video, shape: shapeOfFrames(shape), strides: [frames > 1 ? d : n, c, ...sides] };
}

/** A kernel [out, in, height, width] from one of single frames. */
function withoutFrames<View extends Layout>(weight: View): View {
  return { ...weight, shape: weight.shape.toSpliced(2, 1), strides: weight.strides.toSpliced(2, 1) };
}

/**
 * A convolution of single frames that sums the same products: each frame of its input has the channels of all frames under
 * a kernel, one frame's after the other's, and zeros for those before and after the video.
 */
function underKernels(
  call: KernelCall,
  { window, input, weight, out }: Convolved<TensorView, TensorView>,
): Convolved<TensorView, TensorView> {
  const [outputs, channels, kernel, ...filter] = weight.shape as readonly [number, number, number, ...number[]];
  const [batch, , count, ...sides] = input.shape as readonly [number, number, number, ...number[]];
  const [stride, padding, dilation] = [window.stride[0]!, window.padding[0]!, window.dilation[0]!];
  const frames = out.shape[2]!;
  const shape = [batch, kernel * channels, frames, ...input.shape.slice(3)];
  const joined = call.temporary("float32", shape, channelsLast(shape));
  const zero = call.constant("float32", [1], new Float32Array(1));
  const part = (view: TensorView, offset: number, length: number, strides: readonly number[]): TensorView => ({
    ...view,
    offset: view.offset + offset,
    shape: [batch, channels, length, ...sides],
    strides,
  });
  const frame = joined.strides[2]!;
  for (let k = 0; k < kernel; k++) {
    const start = k * dilation - padding;
    // Of all frames of the result those for which this one of the kernel is inside.
    const first = Math.min(frames, Math.max(0, Math.ceil(-start / stride)));
    const past = Math.max(first, Math.min(frames, Math.ceil((count - start) / stride)));
    const to = (from: number, until: number): TensorView =>
      part(joined, from * frame + k * channels, until - from, joined.strides);
    const [n, c, d, ...rest] = input.strides as readonly [number, number, number, ...number[]];
    const from = part(input, (first * stride + start) * d, past - first, [n, c, stride * d, ...rest]);
    if (first < past) call.copy(from, to(first, past));
    const zeros = (length: number): TensorView => part(zero, 0, length, [0, 0, 0, 0, 0]);
    if (first > 0) call.copy(zeros(first), to(0, first));
    if (past < frames) call.copy(zeros(frames - past), to(past, frames));
  }
  const [o, i, d, ...taps] = weight.strides as readonly [number, number, number, ...number[]];
  const ordered = call.dense({
    ...weight,
    shape: [outputs, kernel, channels, ...filter],
    strides: [o, d, i, ...taps],
  });
  const area = numel(filter);
  const factors = {
    ...ordered,
    shape: [outputs, kernel * channels, 1, ...filter],
    strides: [kernel * channels * area, area, area, filter[1]!, 1],
  };
  const { stride: steps, padding: before, paddingEnd: after } = window;
  const of = (value: number, given: readonly number[]): readonly number[] => [value, ...given.slice(1)];
  return {
    window: { ...window, stride: of(1, steps), padding: of(0, before), paddingEnd: of(0, after) },
    input: joined,
    weight: factors,
    out,
  };
}
