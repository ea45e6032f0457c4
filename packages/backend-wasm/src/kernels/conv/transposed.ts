import { volume } from "@pt2/engine";
import { inBlocks, productNanoseconds } from "./row-blocks.ts";
import type { ConvPlan, ConvShape, KernelModule } from "./types.ts";
import { convOutput, pixelStrides, WINDOW_BYTES, windowWords, writeWords } from "./window.ts";

/** Bytes of columns that are made and scattered at a time. */
const BLOCK_BYTES = 192 * 1024;

/** Transposed convolution: blocks of input rows times the weight give columns, which are added where they belong. */
export function planTransposed(module: KernelModule, shape: ConvShape): ConvPlan {
  const { kernels } = module;
  const { inChannels, outChannels, groups } = shape;
  const { inPixel } = pixelStrides(shape);
  const output = convOutput(shape);
  const words = windowWords(shape, output);
  const rows = shape.batch * volume(shape.input);
  const pixels = shape.batch * volume(output);
  const [depth, channels] = [inChannels / groups, outChannels / groups];
  const columns = volume(shape.kernel) * channels;
  const panels = kernels.gemmPackedBytes(depth, columns) >>> 0;
  const blockRows = Math.min(rows, Math.max(20, Math.floor(BLOCK_BYTES / 4 / columns / 20) * 20));
  return {
    algorithm: "transposed",
    output,
    weightBytes: groups * panels,
    packScratchBytes: depth * columns * 4,
    scratchBytes: WINDOW_BYTES + blockRows * columns * 4,
    // Neighbors of the input add to the same places of the output.
    division: { items: 1, nanoseconds: productNanoseconds(shape) },
    pack({ address, strides: [strideI, strideO, ...taps] }, packed, scratch) {
      for (let group = 0; group < groups; group++) {
        const src = address + group * depth * strideI * 4;
        kernels.gather5(src, depth, ...shape.kernel, channels, strideI, ...taps, strideO, scratch);
        kernels.gemmPackB(scratch, columns, 1, depth, columns, packed + group * panels);
      }
    },
    run({ input, weight, bias, output: target, scratch, lo, hi }) {
      const product = scratch + WINDOW_BYTES;
      writeWords(module, words, scratch);
      kernels.fillBias(target, pixels, outChannels, bias);
      inBlocks(rows, blockRows, (start, count) => {
        for (let group = 0; group < groups; group++) {
          const a = input + (start * inPixel + group * depth) * 4;
          const b = weight + group * panels;
          kernels.gemmPacked(count, columns, depth, a, inPixel, b, product, columns, 0, 0, 0, 0);
          kernels.col2imRows(scratch, product, channels, start, count, target + group * channels * 4);
        }
      });
      if (lo > Number.NEGATIVE_INFINITY || hi < Number.POSITIVE_INFINITY) {
        kernels.clampFloats(target, pixels * outChannels, lo, hi);
      }
    },
  };
}
