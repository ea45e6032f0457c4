import { volume } from "@pt2/engine";
import { PANEL, ROW_UNIT } from "../matmul/gemm.ts";
import { clampFlag, inEvenBlocks, productNanoseconds } from "./row-blocks.ts";
import type { ConvPlan, ConvShape, KernelModule } from "./types.ts";
import { convOutput, pixelStrides, WINDOW_BYTES, windowWords, writeWords } from "./window.ts";

/** Bytes of unfolded input that stay in the second cache while the product passes over them. */
const BLOCK_BYTES = 192 * 1024;
/** Rows below which a block would read the packed weight too often. */
const LEAST_ROWS = 60;
/** Columns of which each thread computes some where there are few rows: all rows are one block, and the weight is read once. */
const MANY_COLUMNS = 64;

/** Computes any convolution: blocks of the input are unfolded into rows, and each block is one matrix product. */
export function planIm2col(module: KernelModule, shape: ConvShape): ConvPlan {
  const { kernels } = module;
  const { inChannels, outChannels, groups } = shape;
  const { outPixel } = pixelStrides(shape);
  const output = convOutput(shape);
  const words = windowWords(shape, output);
  const rows = shape.batch * volume(output);
  const [channels, columns] = [inChannels / groups, outChannels / groups];
  const depth = volume(shape.kernel) * channels;
  const panels = kernels.gemmPackedBytes(depth, columns) >>> 0;
  const byColumns = rows < 2 * LEAST_ROWS && groups === 1 && columns >= MANY_COLUMNS;
  const leastRows = byColumns ? rows : LEAST_ROWS;
  const blockRows = Math.min(rows, Math.max(leastRows, Math.floor(BLOCK_BYTES / 4 / depth / ROW_UNIT) * ROW_UNIT));
  const nanoseconds = productNanoseconds(shape);

  return {
    algorithm: "im2col",
    output,
    weightBytes: groups * panels,
    packScratchBytes: depth * columns * 4,
    scratchBytes: WINDOW_BYTES + blockRows * depth * 4,
    division: byColumns ? { items: columns, unit: PANEL, nanoseconds } : { items: rows, unit: ROW_UNIT, nanoseconds },
    pack(weight, packed, scratch) {
      const [strideO, strideI, strideD, strideH, strideW] = weight.strides;
      for (let group = 0; group < groups; group++) {
        const src = weight.address + group * columns * strideO * 4;
        kernels.gather5(src, ...shape.kernel, channels, columns, strideD, strideH, strideW, strideI, strideO, scratch);
        kernels.gemmPackB(scratch, columns, 1, depth, columns, packed + group * panels);
      }
    },
    run(call, start, items) {
      const flags = clampFlag(call);
      const [column, width] = byColumns ? [start, items] : [0, columns];
      const [first, covered] = byColumns ? [0, rows] : [start, items];
      const unfolded = call.scratch + WINDOW_BYTES;
      writeWords(module, words, call.scratch);
      inEvenBlocks(covered, blockRows, (done, count) => {
        const row = first + done;
        for (let group = 0; group < groups; group++) {
          const channel = group * columns + column;
          kernels.im2colRows(call.scratch, call.input + group * channels * 4, channels, row, count, unfolded);
          kernels.gemmPacked(
            count,
            width,
            depth,
            unfolded,
            depth,
            call.weight + group * panels + column * depth * 4,
            call.output + (row * outPixel + channel) * 4,
            outPixel,
            call.bias && call.bias + channel * 4,
            flags,
            call.lo,
            call.hi,
          );
        }
      });
    },
  };
}
