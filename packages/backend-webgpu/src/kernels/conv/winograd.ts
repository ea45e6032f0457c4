import type { KernelCall } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { NUMBERS, tilesOf } from "./fits-winograd.ts";
import type { ConvGeometry, ConvTensors } from "./geometry.ts";
import { transformedWeight, transformInput, transformOutput } from "./winograd-transforms.ts";

/** The part of a convolution that is a product of matrices. */
type PlanProduct = (call: KernelCall, geometry: ConvGeometry, tensors: ConvTensors) => Promise<void>;

/**
 * 3x3 convolution with 16 products for 2 by 2 results instead of 36. The input's tiles and the kernel are transformed,
 * multiplied as 16 products of matrices, and the tiles of results transformed back. Every result is a sum over its
 * whole tile: an infinity or NaN in the input makes NaN of all the results of its tiles.
 */
export async function planWinograd(
  call: KernelCall,
  geometry: ConvGeometry,
  tensors: ConvTensors,
  planMatmul: PlanProduct,
): Promise<void> {
  const { inChannels, outChannels } = geometry;
  const tiles = tilesOf(geometry);
  const temporary = (channels: number): TensorView =>
    call.temporary("float32", [1, NUMBERS * channels, 1, 1, tiles.count]);
  const [inputs, results] = [temporary(inChannels), temporary(outChannels)];
  transformInput(call, geometry, tensors.input, tiles, inputs);
  const row = [1, 1, tiles.count] as const;
  await planMatmul(
    call,
    { ...geometry, batch: 1, groups: NUMBERS, input: row, output: row, kernel: [1, 1, 1], padding: [0, 0, 0] },
    { input: inputs, weight: transformedWeight(call, geometry, tensors.weight), bias: null, output: results },
  );
  transformOutput(call, geometry, tensors, tiles, results);
}
