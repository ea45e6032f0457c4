import { NANOSECONDS_EACH_PRODUCT, PANEL, ROW_UNIT } from "../matmul/gemm.ts";
import { inEvenBlocks } from "./row-blocks.ts";
import type { ConvPlan, ConvShape, KernelModule } from "./types.ts";
import { convOutput, groupOf, isFlat, pixelStrides, WINDOW_BYTES, windowWords, writeWords } from "./window.ts";

/** Winograd's algorithms: what tiles they make, from how many pixels a side, and how many points of the weight there are. */
const TILES = {
  winograd2: { outputs: 2, edge: 4, weightPoints: 16 },
  winograd4: { outputs: 4, edge: 6, weightPoints: 36 },
  // Along each axis two of the five points have the same tap.
  "winograd2-stride2": { outputs: 2, edge: 5, weightPoints: 16 },
} as const;
export type WinogradAlgorithm = keyof typeof TILES;

/** The kernels take vectors of channels. */
const LEAST_CHANNELS = 4;

/** The algorithms that apply, for many channels first: those of 3x3 kernels with stride 1, or with stride 2 and no dilation. */
export function winogradOf(shape: ConvShape): readonly WinogradAlgorithm[] {
  const { transposed, groups, inChannels, kernel, stride, dilation } = shape;
  const applies = !transposed && inChannels / groups >= LEAST_CHANNELS && isFlat(shape) && `${kernel}` === "1,3,3";
  if (!applies || stride[1] !== stride[2]) return [];
  if (stride[1] === 2) return dilation.every((step) => step === 1) ? ["winograd2-stride2"] : [];
  return stride[1] === 1 ? ["winograd4", "winograd2"] : [];
}

/** Bytes that packing a weight works with. */
const PACK_SCRATCH = 528;
/** Bytes of transformed input and products of a block of tiles. */
const BLOCK_BYTES = 384 * 1024;
/** Tiles below which a block would read the transformed weight too often; those of a part, and those of a block. */
const LEAST_TILES = { part: 2 * ROW_UNIT, block: 3 * ROW_UNIT } as const;

/** Tiles of the whole batch, the points of each, and how many matrices of the weight they meet. */
export function winogradSize(
  shape: ConvShape,
  algorithm: WinogradAlgorithm,
): { readonly tiles: number; readonly points: number; readonly weightPoints: number } {
  const [, height, width] = convOutput(shape);
  const { outputs, edge, weightPoints } = TILES[algorithm];
  // Of a dilated convolution, every so many pixels are one without dilation.
  const along = (length: number, step: number): number => step * Math.ceil(Math.ceil(length / step) / outputs);
  const tiles = shape.batch * along(height, shape.dilation[1]) * along(width, shape.dilation[2]);
  return { tiles, points: edge ** 2, weightPoints };
}

/**
 * 3x3 convolution by Winograd's algorithm: F(4x4, 3x3), F(2x2, 3x3), or for stride 2 F(2x2, 2x2) of the even pixels and products
 * of the others (25 products for what 36 make otherwise). Every output of a tile is a sum over the whole tile: an infinity or
 * NaN in the input makes NaN of all the outputs of its tiles, not only of those whose window holds it.
 */
export function planWinograd(module: KernelModule, shape: ConvShape, algorithm: WinogradAlgorithm): ConvPlan {
  const { kernels } = module;
  const { groups } = shape;
  const { inPixel, outPixel } = pixelStrides(shape);
  const { inChannels, outChannels } = groupOf(shape);
  const { edge } = TILES[algorithm];
  const { tiles, points, weightPoints } = winogradSize(shape, algorithm);
  const output = convOutput(shape);
  const words = windowWords({ ...groupOf(shape), inPixel, outPixel }, output);
  const groupBytes = weightPoints * (kernels.gemmPackedBytes(inChannels, outChannels) >>> 0);
  // Tiles that are computed together.
  const fitting = Math.floor(BLOCK_BYTES / (4 * points * (inChannels + outChannels)) / ROW_UNIT) * ROW_UNIT;
  const block = Math.min(tiles, Math.max(LEAST_TILES.block, fitting));
  // Each thread reads a part of the larger operand, and all of the other.
  const byChannels = outChannels > tiles;
  const nanoseconds = groups * points * tiles * inChannels * outChannels * NANOSECONDS_EACH_PRODUCT;
  return {
    algorithm,
    output,
    weightBytes: groups * groupBytes,
    packScratchBytes: PACK_SCRATCH,
    scratchBytes: WINDOW_BYTES + (kernels.winogradScratch(edge, block, inChannels, outChannels) >>> 0),
    division: byChannels
      ? { items: outChannels, unit: PANEL, nanoseconds }
      : { items: tiles, unit: ROW_UNIT, least: LEAST_TILES.part, nanoseconds },
    pack({ address, strides: [strideO, strideI, , strideH, strideW] }, packed, scratch) {
      for (let group = 0; group < groups; group++) {
        const [from, to] = [address + 4 * group * outChannels * strideO, packed + group * groupBytes];
        kernels.winogradPack(edge, from, strideO, strideI, strideH, strideW, outChannels, inChannels, to, scratch);
      }
    },
    run({ input, weight, bias, output: target, scratch, lo, hi }, start, count) {
      const [channel, channels] = byChannels ? [start, count] : [0, outChannels];
      const [first, covered] = byChannels ? [0, tiles] : [start, count];
      const work = scratch + WINDOW_BYTES;
      writeWords(module, words, scratch);
      for (let group = 0; group < groups; group++) {
        const [from, to] = [input + 4 * group * inChannels, target + 4 * group * outChannels];
        const [factors, summands] = [weight + group * groupBytes, bias && bias + 4 * group * outChannels];
        inEvenBlocks(covered, block, (done, count) => {
          const tile = first + done;
          kernels.winogradTiles(
            edge,
            scratch,
            from,
            factors,
            summands,
            tile,
            count,
            channel,
            channels,
            to,
            work,
            lo,
            hi,
          );
        });
      }
    },
  };
}
