import { clampFlag, productNanoseconds } from "./row-blocks.ts";
import type { ConvPlan, ConvShape, KernelModule } from "./types.ts";
import { convOutput, isFlat, pixelsLast, WINDOW_BYTES, windowWords, writeWords } from "./window.ts";

/** The channels of pictures. Taps of more are copied pixel by pixel as fast. */
const MOST_CHANNELS = 4;

/** Outputs of a row below which what is left of a tile of the product costs more than copying taps, and rows to be divided. */
const LEAST_SIDE = 24;

/** Whether strips can be made of an input: two dimensions, channels that every output reads, and taps side by side. */
export function takesStrips(shape: ConvShape): boolean {
  return !shape.transposed && shape.groups === 1 && shape.dilation[2] === 1 && isFlat(shape);
}

/** True for pictures: few channels, sides that are not small, and no columns between taps that no output reads. */
export function fitsStrips(shape: ConvShape): boolean {
  const { inChannels, stride, kernel } = shape;
  const [, height, width] = convOutput(shape);
  const isPicture = inChannels <= MOST_CHANNELS && Math.min(height, width) >= LEAST_SIDE;
  return takesStrips(shape) && isPicture && stride[2] <= kernel[2];
}

/**
 * Two-dimensional convolution of few channels, which may lie anywhere: what a row of outputs reads is brought together once,
 * and is the left operand of a product whose rows overlap.
 */
export function planStrips(module: KernelModule, shape: ConvShape): ConvPlan {
  const { kernels } = module;
  const { inChannels, outChannels, kernel, stride } = shape;
  const output = convOutput(shape);
  const words = windowWords(shape, output);
  const [, kernelH, kernelW] = kernel;
  const column = kernelH * inChannels;
  const depth = kernelW * column;
  const width = (output[2] - 1) * stride[2] + kernelW;
  const [strideN, strideC, strideH, strideW] = shape.inputStrides ?? pixelsLast(shape);
  return {
    algorithm: "strips",
    output,
    weightBytes: kernels.gemmPackedBytes(depth, outChannels) >>> 0,
    packScratchBytes: depth * outChannels * 4,
    scratchBytes: WINDOW_BYTES + Math.ceil((width * column) / 4) * 16,
    division: { items: shape.batch * output[1], nanoseconds: productNanoseconds(shape) },
    pack({ address, strides: [strideO, strideI, , rowStride, columnStride] }, packed, scratch) {
      const order = [1, kernelW, kernelH, inChannels, outChannels] as const;
      kernels.gather5(address, ...order, 0, columnStride, rowStride, strideI, strideO, scratch);
      kernels.gemmPackB(scratch, outChannels, 1, depth, outChannels, packed);
    },
    run(call, start, count) {
      const { input, weight, bias, output: target, scratch, lo, hi } = call;
      const strip = scratch + WINDOW_BYTES;
      const strides = [strideN, strideC, strideH, strideW] as const;
      writeWords(module, words, scratch);
      kernels.stripRows(scratch, input, ...strides, weight, bias, start, count, target, strip, clampFlag(call), lo, hi);
    },
  };
}
