import { volume } from "@pt2/engine";
import { eachWhole } from "../../threads/team.ts";
import { ROW_UNIT } from "../matmul/gemm.ts";
import { inEvenBlocks, productNanoseconds } from "./row-blocks.ts";
import type { ConvCall, ConvPlan, ConvShape, KernelModule } from "./types.ts";
import { convOutput, pixelStrides, WINDOW_BYTES, windowWords, writeWords } from "./window.ts";

/** Bytes of columns that are made and scattered at a time. */
const BLOCK_BYTES = 192 * 1024;
/** Pixels of such a block at least. */
const LEAST_PIXELS = 3 * ROW_UNIT;

/**
 * Transposed convolution: blocks of input pixels times the weight give columns, which are added where they belong. Threads divide
 * the output along its outermost axis; neighbors compute the columns of those input pixels that both of them need.
 */
export function planTransposed(module: KernelModule, shape: ConvShape): ConvPlan {
  const { kernels } = module;
  const { batch, inChannels, outChannels, groups } = shape;
  const { inPixel } = pixelStrides(shape);
  const output = convOutput(shape);
  const axis = ([0, 1, 2] as const).find((axis) => shape.input[axis] > 1 || output[axis] > 1) ?? 2;
  const [inLength, outLength] = [shape.input[axis], output[axis]];
  const [inLine, outLine] = [volume(shape.input) / inLength, volume(output) / outLength];
  const [depth, channels] = [inChannels / groups, outChannels / groups];
  const columns = volume(shape.kernel) * channels;
  const panels = kernels.gemmPackedBytes(depth, columns) >>> 0;
  const fitting = Math.floor(BLOCK_BYTES / 4 / columns / ROW_UNIT) * ROW_UNIT;
  const blockPixels = Math.min(volume(shape.input), Math.max(LEAST_PIXELS, fitting));
  const words = windowWords(shape, output);
  // Groups of one channel each are no products of matrices: vectors take their channels side by side.
  const isSingle = depth === 1 && channels === 1;

  /** Computes lines [start, end) of the output of one image. */
  const runLines = (call: ConvCall, image: number, start: number, end: number): void => {
    const { weight, bias, scratch, lo, hi } = call;
    const product = scratch + WINDOW_BYTES;
    const input = call.input + 4 * image * inLength * inLine * inPixel;
    const target = call.output + 4 * image * outLength * outLine * outChannels;
    const [firstPixel, pixels] = [start * outLine, (end - start) * outLine];
    const lines = target + 4 * firstPixel * outChannels;
    kernels.fillBias(lines, pixels, outChannels, bias);
    const [first, last] = inputLines(shape, axis, start, end, Math.ceil(ROW_UNIT / inLine));
    /** Adds what `count` pixels of the input from `pixel` on give, all channels at once. */
    const addChannels = (pixel: number, count: number): void => {
      const source = input + 4 * pixel * inPixel;
      kernels.col2imRows(scratch, source, groups, pixel, count, firstPixel, pixels, target, weight);
    };
    const addGroups = (pixel: number, count: number): void => {
      for (let group = 0; group < groups; group++) {
        const a = input + 4 * (pixel * inPixel + group * depth);
        const channel = target + 4 * group * channels;
        kernels.gemmPacked(count, columns, depth, a, inPixel, weight + group * panels, product, columns, 0, 0, 0, 0);
        kernels.col2imRows(scratch, product, channels, pixel, count, firstPixel, pixels, channel, 0);
      }
    };
    const add = isSingle ? addChannels : addGroups;
    inEvenBlocks((last - first) * inLine, blockPixels, (done, count) => add(first * inLine + done, count));
    if (lo > Number.NEGATIVE_INFINITY || hi < Number.POSITIVE_INFINITY) {
      kernels.clampFloats(lines, pixels * outChannels, lo, hi);
    }
  };

  return {
    algorithm: "transposed",
    output,
    weightBytes: isSingle ? groups * columns * 4 : groups * panels,
    packScratchBytes: depth * columns * 4,
    scratchBytes: WINDOW_BYTES + (isSingle ? 0 : blockPixels * columns * 4),
    division: { items: batch * outLength, nanoseconds: productNanoseconds(shape) },
    pack({ address, strides: [strideI, strideO, ...taps] }, packed, scratch) {
      if (isSingle) return kernels.gather5(address, 1, ...shape.kernel, groups, 0, ...taps, strideI, packed);
      for (let group = 0; group < groups; group++) {
        const src = address + group * depth * strideI * 4;
        kernels.gather5(src, depth, ...shape.kernel, channels, strideI, ...taps, strideO, scratch);
        kernels.gemmPackB(scratch, columns, 1, depth, columns, packed + group * panels);
      }
    },
    run(call, start, count) {
      writeWords(module, words, call.scratch);
      eachWhole({ start, count }, outLength, (image, line, lines) => runLines(call, image, line, line + lines));
    },
  };
}

/**
 * The lines of the input [first, last) that lines [start, end) of the output take something from; `least` lines if there are so
 * many: the products of very few pixels would be added up in another order.
 */
function inputLines(
  shape: ConvShape,
  axis: 0 | 1 | 2,
  start: number,
  end: number,
  least: number,
): readonly [number, number] {
  const [size, stride, padding] = [shape.input[axis], shape.stride[axis], shape.padding[axis]];
  const reach = (shape.kernel[axis] - 1) * shape.dilation[axis];
  const clamped = (line: number): number => Math.min(size, Math.max(0, line));
  const last = clamped(Math.max(Math.floor((end - 1 + padding) / stride) + 1, least));
  const first = clamped(Math.min(Math.ceil((start + padding - reach) / stride), last - least));
  return [first, last];
}
