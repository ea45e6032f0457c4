import { NANOSECONDS_EACH_PRODUCT, PANEL, ROW_UNIT } from "../matmul/gemm.ts";
import { inEvenBlocks } from "./row-blocks.ts";
import type { ConvPlan, ConvShape, KernelModule } from "./types.ts";
import { convOutput, isFlat, WINDOW_BYTES, windowWords, writeWords } from "./window.ts";

/** The kernels take vectors of channels. */
const LEAST_CHANNELS = 4;

/** True when Winograd's algorithm applies: 3x3, stride and dilation 1, at least a vector of channels. */
export function fitsWinograd(shape: ConvShape): boolean {
  return (
    !shape.transposed &&
    shape.groups === 1 &&
    shape.inChannels >= LEAST_CHANNELS &&
    isFlat(shape) &&
    shape.kernel.join() === "1,3,3" &&
    [...shape.stride, ...shape.dilation].every((step) => step === 1)
  );
}

/** Bytes that packing a weight works with. */
const PACK_SCRATCH = 528;
/** Bytes of transformed input and products of a block of tiles. */
const BLOCK_BYTES = 384 * 1024;
/** Tiles below which a block would read the transformed weight too often; those of a part, and those of a block. */
const LEAST_TILES = { part: 2 * ROW_UNIT, block: 3 * ROW_UNIT } as const;

/** Tiles of `size` x `size` outputs in the whole batch. */
export function tileCount(shape: ConvShape, size: 2 | 4): number {
  const [, height, width] = convOutput(shape);
  return shape.batch * Math.ceil(height / size) * Math.ceil(width / size);
}

/** Tiles that are computed together. */
function blockTiles(shape: ConvShape, size: 2 | 4): number {
  const tileBytes = (size + 2) ** 2 * (shape.inChannels + shape.outChannels) * 4;
  return Math.min(
    tileCount(shape, size),
    Math.max(LEAST_TILES.block, Math.floor(BLOCK_BYTES / tileBytes / ROW_UNIT) * ROW_UNIT),
  );
}

/**
 * 3x3 convolution by Winograd's algorithm F(size x size, 3x3). Every output of a tile is a sum over the whole tile: an
 * infinity or NaN in the input makes NaN of all the outputs of its tiles, not only of those whose window holds it.
 */
export function planWinograd(module: KernelModule, shape: ConvShape, size: 2 | 4): ConvPlan {
  const { kernels } = module;
  const { inChannels, outChannels } = shape;
  const output = convOutput(shape);
  const words = windowWords(shape, output);
  const tiles = tileCount(shape, size);
  const block = blockTiles(shape, size);

  // Each thread reads a part of the larger operand, and all of the other.
  const byChannels = outChannels > tiles;
  const nanoseconds = (size + 2) ** 2 * tiles * inChannels * outChannels * NANOSECONDS_EACH_PRODUCT;
  return {
    algorithm: size === 4 ? "winograd4" : "winograd2",
    output,
    weightBytes: (size + 2) ** 2 * (kernels.gemmPackedBytes(inChannels, outChannels) >>> 0),
    packScratchBytes: PACK_SCRATCH,
    scratchBytes: WINDOW_BYTES + (kernels.winogradScratch(size, block, inChannels, outChannels) >>> 0),
    division: byChannels
      ? { items: outChannels, unit: PANEL, nanoseconds }
      : { items: tiles, unit: ROW_UNIT, least: LEAST_TILES.part, nanoseconds },
    pack({ address, strides: [strideO, strideI, , strideH, strideW] }, packed, scratch) {
      kernels.winogradPack(size, address, strideO, strideI, strideH, strideW, outChannels, inChannels, packed, scratch);
    },
    run(call, start, count) {
      const { input, weight, bias, output: target, scratch, lo, hi } = call;
      const [channel, channels] = byChannels ? [start, count] : [0, outChannels];
      const [first, covered] = byChannels ? [0, tiles] : [start, count];
      const work = scratch + WINDOW_BYTES;
      writeWords(module, words, scratch);
      inEvenBlocks(covered, block, (done, count) => {
        const tile = first + done;
        kernels.winogradTiles(size, scratch, input, weight, bias, tile, count, channel, channels, target, work, lo, hi);
      });
    },
  };
}
