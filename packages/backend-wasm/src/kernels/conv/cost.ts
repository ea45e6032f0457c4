import { volume } from "@pt2/engine";
import type { ConvAlgorithm, ConvShape } from "./types.ts";
import { convOutput, groupOf } from "./window.ts";
import { type WinogradAlgorithm, winogradOf, winogradSize } from "./winograd.ts";

// Costs are counted in products (multiply and add) of the packed matrix product, which runs at about 28 per
// nanosecond and thread; the factors were fitted to 40 shapes from 4 to 960 channels and maps from 2 to 224.

/** Reading one packed weight from memory, at 16 GB/s: what a machine gives to one thread is between 10 and 50. */
const WEIGHT_COST = 7;
/** Writing one element of unfolded input. */
const UNFOLD_COST = 1;
/** Transforming one element of a tile, there or back: a larger tile does more arithmetic on each. */
const TRANSFORM_COST = { winograd2: 5, winograd4: 9, "winograd2-stride2": 4 } as const;

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

function winogradCost(shape: ConvShape, algorithm: WinogradAlgorithm): number {
  const { inChannels, outChannels } = shape;
  const { tiles, points, weightPoints } = winogradSize(shape, algorithm);
  // What two points have in common is read twice.
  const weightCost = (WEIGHT_COST * points) / weightPoints;
  const products = inChannels * panelColumns(outChannels) * (tiles + weightCost);
  return points * (products + TRANSFORM_COST[algorithm] * tiles * (inChannels + outChannels));
}

/**
 * Winograd's transformed weights take four times (F(4x4)) or 1.8 times (F(2x2)) the room of the kernel. Above this
 * many bytes for one convolution a model with many such layers would outgrow what wasm32 can address.
 */
const MOST_WEIGHT_BYTES = 64 * 1024 * 1024;

/**
 * Input channels below which F(4x4) is not used. Its rounding errors are three times those of a direct convolution, and
 * those of the first layers, which have few channels, are what the rest of a network amplifies; F(2x2) is as exact.
 */
const LEAST_CHANNELS = 256;

function fits(shape: ConvShape, groups: number, algorithm: WinogradAlgorithm): boolean {
  if (algorithm === "winograd4" && shape.inChannels < LEAST_CHANNELS) return false;
  const { weightPoints } = winogradSize(shape, algorithm);
  return groups * weightPoints * shape.inChannels * panelColumns(shape.outChannels) * 4 <= MOST_WEIGHT_BYTES;
}

/**
 * The cheapest algorithm for a convolution that is neither pointwise nor depthwise. In short: F(4x4) wherever
 * Winograd applies to many channels, but F(2x2) for maps of up to ten pixels a side, where tiles of four would be
 * partly empty and the time goes into reading the weights, of which F(4x4) has the most.
 */
export function cheapestDense(given: ConvShape): ConvAlgorithm {
  // All groups cost the same.
  const shape = groupOf(given);
  const costs: readonly (readonly [ConvAlgorithm, number])[] = [
    ["im2col", im2colCost(shape)],
    ...winogradOf(shape)
      .filter((algorithm) => fits(shape, given.groups, algorithm))
      .map((algorithm) => [algorithm, winogradCost(shape, algorithm)] as const),
  ];
  return costs.reduce((best, next) => (next[1] < best[1] ? next : best))[0];
}
