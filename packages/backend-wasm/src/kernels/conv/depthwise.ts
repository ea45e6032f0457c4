import { volume } from "@pt2/engine";
import { LINE_FLOATS } from "../../threads/team.ts";
import { fitsGrouped } from "./grouped.ts";
import type { ConvPlan, ConvShape, KernelModule, StridedWeight } from "./types.ts";
import { convOutput, pixelStrides, WINDOW_BYTES, windowWords, writeWords } from "./window.ts";

/** True when every input channel is convolved on its own. */
export function isDepthwise({ groups, inChannels, transposed }: ConvShape): boolean {
  return !transposed && groups === inChannels;
}

/**
 * True of depthwise convolutions with several outputs for each channel that take vectors only of a copy with a channel for
 * each output.
 */
export function readsRepeated(shape: ConvShape): boolean {
  const { groups, inChannels, outChannels } = shape;
  return isDepthwise(shape) && groups > 1 && outChannels > inChannels && !fitsGrouped(shape);
}

/** The shape of a depthwise convolution that reads a channel for each output. */
export function onePerChannel(shape: ConvShape): ConvShape {
  return { ...shape, inChannels: shape.outChannels, groups: shape.outChannels };
}

/** Floats that are computed at a time where pixels of two or three channels lie side by side. */
const FEW_FLOATS = 12;

/** Of a product of depthwise kernels, in vectors and one at a time. */
const NANOSECONDS_EACH = { vectors: 0.1, few: 0.25, single: 2 } as const;

/** Whether a depthwise convolution of fewer channels than a vector has reads neighboring pixels for neighboring outputs. */
function readsNeighbors({ inChannels, outChannels, stride }: ConvShape): boolean {
  return inChannels <= 3 && outChannels === inChannels && stride[2] === 1;
}

/** Depthwise convolution: SIMD along channels for multiplier 1, or along pixels of few channels, one output at a time otherwise. */
export function planDepthwise(module: KernelModule, shape: ConvShape): ConvPlan {
  const { kernels } = module;
  const { outChannels, inChannels, kernel } = shape;
  const output = convOutput(shape);
  const [depth, height, width] = output;
  const words = windowWords(shape, output);
  /** Of some of the channels. */
  const wordsOf = (channels: number): Int32Array =>
    windowWords({ ...shape, ...pixelStrides(shape), inChannels: channels, outChannels: channels }, output);
  const taps = volume(kernel);
  const vectors = outChannels === inChannels && inChannels >= 4;
  const few = readsNeighbors(shape);
  const run = vectors ? kernels.depthwiseRows : few ? kernels.depthwiseRowsFew : kernels.depthwiseRowsScalar;
  const rows = shape.batch * depth * height;
  const nanoseconds =
    rows * width * outChannels * taps * NANOSECONDS_EACH[vectors ? "vectors" : few ? "few" : "single"];
  // As the 1x1 convolutions before and behind are divided; a small map would have few rows, too.
  const byChannels = vectors && outChannels > rows * width;

  /** Weights as [group][tap][4]; the last group overlaps the one before it. */
  const packVectors = (address: number, strides: StridedWeight["strides"], packed: number): void => {
    const [strideO, , strideD, strideH, strideW] = strides;
    for (let group = 0; group * 4 < outChannels; group++) {
      const src = address + Math.min(group * 4, outChannels - 4) * strideO * 4;
      kernels.gather5(src, 1, ...kernel, 4, 0, strideD, strideH, strideW, strideO, packed + group * taps * 16);
    }
  };
  /** Weights as [tap][12], those of the channels over and over. */
  const packFew = (address: number, [strideO, , ...strides]: StridedWeight["strides"], packed: number): void => {
    const times = FEW_FLOATS / outChannels;
    kernels.gather5(address, ...kernel, times, outChannels, ...strides, 0, strideO, packed);
  };
  return {
    algorithm: vectors ? "depthwise" : few ? "depthwise-few" : "depthwise-scalar",
    output,
    weightBytes: (vectors ? Math.ceil(outChannels / 4) * 4 : few ? FEW_FLOATS : outChannels) * taps * 4,
    packScratchBytes: 0,
    scratchBytes: WINDOW_BYTES,
    division: byChannels ? { items: outChannels, unit: LINE_FLOATS, nanoseconds } : { items: rows, nanoseconds },
    pack({ address, strides }, packed) {
      if (vectors) packVectors(address, strides, packed);
      else if (few) packFew(address, strides, packed);
      else kernels.gather5(address, outChannels, 1, ...kernel, ...strides, packed);
    },
    run(call, start, count) {
      const { scratch, lo, hi } = call;
      const [row, covered, channel] = byChannels ? [0, rows, start] : [start, count, 0];
      const [input, output] = [call.input + 4 * channel, call.output + 4 * channel];
      const [weight, bias] = [call.weight + 4 * channel * taps, call.bias && call.bias + 4 * channel];
      writeWords(module, byChannels ? wordsOf(count) : words, scratch);
      run(scratch, input, weight, bias, row, covered, output, lo, hi);
    },
  };
}
