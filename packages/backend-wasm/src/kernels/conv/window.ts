import { type Spatial, volume } from "@pt2/engine";
import type { Pointer } from "../../kernels.gen.ts";
import type { ConvShape, KernelModule } from "./types.ts";

/** Bytes in front of every scratch area: the window (assembly/conv-window.ts) and the kernels' work space. */
export const WINDOW_BYTES = 1152;

/** The size of a convolution's output along depth, height and width. */
export function convOutput(shape: ConvShape): Spatial {
  const along = (axis: 0 | 1 | 2): number => {
    const [size, stride] = [shape.input[axis], shape.stride[axis]];
    const reach = (shape.kernel[axis] - 1) * shape.dilation[axis];
    const padding = shape.padding[axis] + (shape.paddingEnd ?? shape.padding)[axis];
    return shape.transposed
      ? (size - 1) * stride - padding + reach + (shape.outputPadding?.[axis] ?? 0) + 1
      : Math.floor((size + padding - reach - 1) / stride) + 1;
  };
  return [along(0), along(1), along(2)];
}

/** Whether a convolution has no depth: neither its input nor its kernel, nor what pads the input. */
export function isFlat({ input, kernel, padding, paddingEnd = padding }: ConvShape): boolean {
  return input[0] === 1 && kernel[0] === 1 && padding[0] === 0 && paddingEnd[0] === 0;
}

/** The shape of the convolution that each group of channels is, if its pixels lay side by side. */
export function groupOf({ inPixel: _, outPixel: __, ...shape }: ConvShape): ConvShape {
  const { inChannels, outChannels, groups } = shape;
  return { ...shape, inChannels: inChannels / groups, outChannels: outChannels / groups, groups: 1 };
}

/** Elements between neighboring pixels of the input, and of the output. */
export function pixelStrides(shape: ConvShape): { readonly inPixel: number; readonly outPixel: number } {
  const { inChannels, outChannels, inPixel = inChannels, outPixel = outChannels } = shape;
  return { inPixel, outPixel };
}

/** Batch, channel, height and width of an input whose channels lie last. */
export function pixelsLast(shape: ConvShape): readonly [number, number, number, number] {
  const { inPixel } = pixelStrides(shape);
  return [volume(shape.input) * inPixel, 1, shape.input[2] * inPixel, inPixel];
}

/** The window of a convolution as the 24 words that the kernels read. */
export function windowWords(shape: ConvShape, output: Spatial): Int32Array {
  const { inPixel, outPixel } = pixelStrides(shape);
  return Int32Array.of(
    shape.batch,
    shape.inChannels,
    shape.outChannels,
    ...shape.input,
    ...output,
    ...shape.kernel,
    ...shape.stride,
    ...shape.padding,
    ...shape.dilation,
    inPixel,
    outPixel,
  );
}

/** Copies 32-bit words into the kernels' memory. */
export function writeWords({ memory }: KernelModule, words: Int32Array | Float32Array, address: Pointer): void {
  new Int32Array(memory.buffer, address >>> 0, words.length).set(
    new Int32Array(words.buffer, words.byteOffset, words.length),
  );
}
