import { volume } from "@pt2/backend/windows";
import type { KernelCall } from "../../engine/kernel.ts";
import type { Place } from "../../engine/place.ts";
import { fitsBinding } from "../../shader/binding.ts";
import { computeType } from "../../wgsl/storage.ts";
import type { ConvGeometry, ConvTensors } from "./geometry.ts";
import { NUMBERS, tilesOf, transformedWeight, transformInput, transformOutput } from "./winograd-tiles.ts";

/** Channels, in and out, below which transforming tiles costs more than the products that it saves. */
const LEAST_CHANNELS = 64;
/** Bytes of transformed tiles above which they cost more memory than they save time. */
const MOST_BYTES = 32 * 2 ** 20;
/** Products that remain, as a part of those of the convolution itself, above which transforming is not paid for. */
const MOST_PRODUCTS = 0.7;
/** Columns of the products that are computed together, wanted or not: with and without workgroup memory. */
const COLUMNS = { gpu: 64, software: 4 } as const;

/** The part of a convolution that is a product of matrices. */
type PlanProduct = (call: KernelCall, geometry: ConvGeometry, tensors: ConvTensors) => void;

/**
 * Whether minimal filtering F(2x2, 3x3) is right and worth it: a 3x3 kernel that moves by one, many channels, a weight
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

/**
 * 3x3 convolution with 16 products for 2 by 2 results instead of 36. The input's tiles and the kernel are transformed,
 * multiplied as 16 products of matrices, and the tiles of results transformed back. Every result is a sum over its
 * whole tile: an infinity or NaN in the input makes NaN of all the results of its tiles.
 */
export function planWinograd(
  call: KernelCall,
  geometry: ConvGeometry,
  tensors: ConvTensors,
  planProduct: PlanProduct,
): void {
  const { inChannels, outChannels } = geometry;
  const tiles = tilesOf(geometry);
  const temporary = (channels: number): Place => call.temporary("float32", [1, NUMBERS * channels, 1, 1, tiles.count]);
  const [inputs, results] = [temporary(inChannels), temporary(outChannels)];
  transformInput(call, geometry, tensors.input, tiles, inputs);
  const row = [1, 1, tiles.count] as const;
  planProduct(
    call,
    { ...geometry, batch: 1, groups: NUMBERS, input: row, output: row, kernel: [1, 1, 1], padding: [0, 0, 0] },
    { input: inputs, weight: transformedWeight(call, geometry, tensors.weight), bias: null, output: results },
  );
  transformOutput(call, geometry, tensors, tiles, results);
}
