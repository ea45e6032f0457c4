import { volume } from "@pt2/engine";
import { clampFlag, inBlocks, productNanoseconds } from "./row-blocks.ts";
import type { ConvPlan, ConvShape, KernelModule } from "./types.ts";
import { convOutput, WINDOW_BYTES, windowWords, writeWords } from "./window.ts";

/** Bytes of unfolded input that stay in the second cache while the product passes over them. */
const BLOCK_BYTES = 192 * 1024;
/** Rows below which a block would read the packed weight too often. */
const LEAST_ROWS = 60;
/** Rows of a block where there are so few that every thread should get one. */
const FEWEST_ROWS = 20;

/** Computes any convolution: blocks of the input are unfolded into rows, and each block is one matrix product. */
export function planIm2col(module: KernelModule, shape: ConvShape): ConvPlan {
  const { kernels } = module;
  const { inChannels, outChannels, groups } = shape;
  const output = convOutput(shape);
  const words = windowWords(shape, output);
  const rows = shape.batch * volume(output);
  const [channels, columns] = [inChannels / groups, outChannels / groups];
  const depth = volume(shape.kernel) * channels;
  const panels = kernels.gemmPackedBytes(depth, columns) >>> 0;
  const leastRows = rows < 2 * LEAST_ROWS ? FEWEST_ROWS : LEAST_ROWS;
  const blockRows = Math.min(rows, Math.max(leastRows, Math.floor(BLOCK_BYTES / 4 / depth / 20) * 20));

  return {
    algorithm: "im2col",
    output,
    weightBytes: groups * panels,
    packScratchBytes: depth * columns * 4,
    scratchBytes: WINDOW_BYTES + blockRows * depth * 4,
    division: { items: Math.ceil(rows / blockRows), nanoseconds: productNanoseconds(shape) },
    pack(weight, packed, scratch) {
      const [strideO, strideI, strideD, strideH, strideW] = weight.strides;
      for (let group = 0; group < groups; group++) {
        const src = weight.address + group * columns * strideO * 4;
        kernels.gather5(src, ...shape.kernel, channels, columns, strideD, strideH, strideW, strideI, strideO, scratch);
        kernels.gemmPackB(scratch, columns, 1, depth, columns, packed + group * panels);
      }
    },
    run(call, firstBlock, blocks) {
      const flags = clampFlag(call);
      const first = firstBlock * blockRows;
      const covered = Math.min(rows - first, blocks * blockRows);
      const unfolded = call.scratch + WINDOW_BYTES;
      writeWords(module, words, call.scratch);
      inBlocks(covered, blockRows, (done, count) => {
        const start = first + done;
        for (let group = 0; group < groups; group++) {
          kernels.im2colRows(call.scratch, call.input + group * channels * 4, channels, start, count, unfolded);
          kernels.gemmPacked(
            count,
            columns,
            depth,
            unfolded,
            depth,
            call.weight + group * panels,
            call.output + (start * outChannels + group * columns) * 4,
            outChannels,
            call.bias && call.bias + group * columns * 4,
            flags,
            call.lo,
            call.hi,
          );
        }
      });
    },
  };
}
