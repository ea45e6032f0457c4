import type { ConvAlgorithm, ConvShape } from "./types.ts";
import { convOutput, volume } from "./window.ts";
import { fitsWinograd, tileCount } from "./winograd.ts";

// Costs are counted in products (multiply and add) of the packed matrix product, which runs at about 28 per
// nanosecond and thread; the factors were fitted to 40 shapes from 4 to 960 channels and maps from 2 to 224.

/** Streaming one packed weight from outside the second cache. */
const WEIGHT_COST = 2;
/** Writing one element of unfolded input. */
const UNFOLD_COST = 1;
/** Transforming one element of a tile, there or back: a larger tile does more arithmetic on each. */
const TRANSFORM_COST = { 2: 5, 4: 9 } as const;

/** Panels of the packed matrix are eight columns wide. */
function panelColumns(columns: number): number {
  return Math.ceil(columns / 8) * 8;
}

function im2colCost(shape: ConvShape): number {
  const rows = shape.batch * volume(convOutput(shape));
  const depth = volume(shape.kernel) * shape.inChannels;
  const columns = panelColumns(shape.outChannels);
  return depth * (rows * (columns + UNFOLD_COST) + WEIGHT_COST * columns);
}

function winogradCost(shape: ConvShape, size: 2 | 4): number {
  const { inChannels, outChannels } = shape;
  const tiles = tileCount(shape, size);
  const products = inChannels * panelColumns(outChannels) * (tiles + WEIGHT_COST);
  return (size + 2) ** 2 * (products + TRANSFORM_COST[size] * tiles * (inChannels + outChannels));
}

/**
 * The cheapest algorithm for a convolution that is neither pointwise nor depthwise. In short: F(4x4) wherever
 * Winograd applies, but F(2x2) for maps of at most five pixels a side, where tiles of four would be mostly empty and
 * the time goes into reading the weights, of which F(4x4) has four times those of the kernel.
 */
export function cheapestDense(shape: ConvShape): ConvAlgorithm {
  if (!fitsWinograd(shape)) return "im2col";
  const costs = [
    ["winograd4", winogradCost(shape, 4)],
    ["winograd2", winogradCost(shape, 2)],
    ["im2col", im2colCost(shape)],
  ] as const;
  return costs.reduce((best, next) => (next[1] < best[1] ? next : best))[0];
}
