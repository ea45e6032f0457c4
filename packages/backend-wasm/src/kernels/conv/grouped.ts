import { inBlocks, productNanoseconds } from "./row-blocks.ts";
import type { ConvPlan, ConvShape, KernelModule } from "./types.ts";
import { convOutput, isFlat, WINDOW_BYTES, windowWords, writeWords } from "./window.ts";

/** Input channels of a group above which unfolding it for the matrix product is cheaper. */
const MOST_CHANNELS = 16;

/** True for groups of few channels whose outputs come in whole vectors. */
export function fitsGrouped(shape: ConvShape): boolean {
  const { groups, inChannels, outChannels, transposed } = shape;
  if (transposed || groups === 1 || !isFlat(shape)) return false;
  return inChannels / groups <= MOST_CHANNELS && (outChannels / groups) % 4 === 0;
}

/** Two-dimensional convolution in small groups, straight from the input. */
export function planGrouped(module: KernelModule, shape: ConvShape): ConvPlan {
  const { kernels } = module;
  const { inChannels, outChannels, groups, kernel } = shape;
  const output = convOutput(shape);
  const rows = shape.batch * output[1];
  const words = windowWords(shape, output);
  const channels = inChannels / groups;
  const [, kernelH, kernelW] = kernel;
  const vector = (outChannels / groups) % 8 === 0 ? 8 : 4;
  const unitFloats = kernelH * kernelW * channels * vector;
  return {
    algorithm: "grouped",
    output,
    weightBytes: (outChannels / vector) * unitFloats * 4,
    packScratchBytes: 0,
    scratchBytes: WINDOW_BYTES,
    division: { items: rows, nanoseconds: 2 * productNanoseconds(shape) },
    pack({ address, strides: [strideO, strideI, , strideH, strideW] }, packed) {
      inBlocks(outChannels, vector, (start) => {
        const [src, dst] = [address + start * strideO * 4, packed + (start / vector) * unitFloats * 4];
        kernels.gather5(src, 1, kernelH, kernelW, channels, vector, 0, strideH, strideW, strideI, strideO, dst);
      });
    },
    run({ input, weight, bias, output: target, scratch, lo, hi }, start, count) {
      writeWords(module, words, scratch);
      kernels.groupedRows(scratch, groups, input, weight, bias, start, count, target, lo, hi);
    },
  };
}
