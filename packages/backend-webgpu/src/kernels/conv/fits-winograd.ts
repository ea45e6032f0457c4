import { volume } from "@pt2/engine";
import type { KernelCall } from "../../engine/kernel.ts";
import { fitsBinding } from "../../shader/binding.ts";
import { computeType } from "../../wgsl/storage.ts";
import type { ConvGeometry, ConvTensors } from "./geometry.ts";

/** Channels, in and out, below which transforming tiles costs more than the products that it saves. */
const LEAST_CHANNELS = 64;
/** Bytes of transformed tiles above which they cost more memory than they save time. */
const MOST_BYTES = 32 * 2 ** 20;
/** Products that remain, as a part of those of the convolution itself, above which transforming is not paid for. */
const MOST_PRODUCTS = 0.7;
/** Columns of the products that are computed together, wanted or not: with and without workgroup memory. */
const COLUMNS = { gpu: 64, software: 4 } as const;

/** Numbers of a tile: 4 by 4, from which 2 by 2 results come. */
export const NUMBERS = 16;
/** Tiles are read four at once. */
const ROUND = 4;

/** The tiles of a batch of images. */
export interface Tiles {
  readonly down: number;
  readonly across: number;
  /** All of them, filled up to whole vectors. */
  readonly count: number;
}

/** The tiles that the results of a convolution are cut into. */
export function tilesOf({ batch, output }: ConvGeometry): Tiles {
  const [down, across] = [Math.ceil(output[1] / 2), Math.ceil(output[2] / 2)];
  return { down, across, count: Math.ceil((batch * down * across) / ROUND) * ROUND };
}

/**
 * Whether Winograd convolution F(2x2, 3x3) is right and worth it: a 3x3 kernel that moves by one, many channels, a weight
 * that is transformed once. Results are sums in another order, so not where the user wants the op as it is written.
 */
export function fitsWinograd(call: KernelCall, geometry: ConvGeometry, { input, weight }: ConvTensors): boolean {
  const { groups, inChannels, outChannels, kernel, stride, dilation } = geometry;
  const small = Math.min(inChannels, outChannels) < LEAST_CHANNELS;
  const plain = [...stride, ...dilation, groups, geometry.input[0]].every((n) => n === 1) && geometry.padding[0] === 0;
  const fits = plain && kernel.join() === "1,3,3" && computeType(input.dtype) === "f32";
  if (call.exact || small || !fits || weight.buffer.constant === null) return false;
  const { count } = tilesOf(geometry);
  const columns = COLUMNS[call.adapter.software ? "software" : "gpu"];
  const products = (each: number, pixels: number): number => each * Math.ceil(pixels / columns);
  const left = products(NUMBERS, count) / products(volume(kernel), geometry.batch * volume(geometry.output));
  const bytes = 4 * NUMBERS * Math.max(inChannels, outChannels) * count;
  return left <= MOST_PRODUCTS && bytes <= MOST_BYTES && fitsBinding(weight, call.adapter);
}
