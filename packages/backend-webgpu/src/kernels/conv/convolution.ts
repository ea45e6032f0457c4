import { CONVOLUTIONS } from "@pt2/engine";
import { DTYPES, numel } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { type KernelCall, type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import { computeType } from "../../wgsl/storage.ts";
import { planMatmul } from "../matmul/plan-matmul.ts";
import { asMatmul } from "./as-matmul.ts";
import { asOneRow } from "./as-one-row.ts";
import { fitsWinograd } from "./fits-winograd.ts";
import { type ConvGeometry, type ConvTensors, geometryOf, inputOf } from "./geometry.ts";

/** Channels of a group below which tiles in workgroup memory would be mostly empty. */
const LEAST_TILED_CHANNELS = 12;

/** Every convolution of one to three dimensions. What a device or a model does not use is not loaded. */
export const convolution: WebgpuKernel = webgpuKernel({
  ops: CONVOLUTIONS,
  accepts: ({ weight }) => {
    const { dtype, shape } = weight;
    return DTYPES[dtype].kind !== "bool" && shape.length <= 5 && numel(shape) > 0;
  },
  fuses: true,
  async prepare(call, args) {
    const geometry = geometryOf(call, args);
    const weight = call.tensor(args.weight);
    const bias = call.optional(args.bias);
    const tensors = { input: inputOf(call.tensor(args.input), weight.shape.length), weight, bias, output: null };
    if (numel((call.call.results[0] as TensorMeta).shape) === 0) call.output();
    else await plan(call, geometry, tensors);
  },
});

async function plan(call: KernelCall, geometry: ConvGeometry, tensors: ConvTensors): Promise<void> {
  if (geometry.transposed) {
    const { planTransposed } = await import("./transposed.ts");
    return planTransposed(call, geometry, tensors);
  }
  const product = asMatmul(geometry, tensors);
  if (product !== null) return await planMatmul(call, product);
  if (geometry.inChannels === 1 && geometry.groups > 1) {
    const { planDepthwise } = await import("./depthwise.ts");
    return planDepthwise(call, geometry, tensors);
  }
  if (fitsWinograd(call, geometry, tensors)) {
    const { planWinograd } = await import("./winograd.ts");
    return await planWinograd(call, geometry, tensors, planDense);
  }
  await planDense(call, geometry, tensors);
}

/** A convolution over many channels, by tiles in workgroup memory on a GPU, by tiles in registers elsewhere. */
async function planDense(call: KernelCall, geometry: ConvGeometry, tensors: ConvTensors): Promise<void> {
  const row = asOneRow(geometry, tensors);
  const [shape, views] = row ?? [geometry, tensors];
  const float = computeType(tensors.input.dtype) === "f32";
  const tiles = !call.adapter.software && float && shape.outChannels >= LEAST_TILED_CHANNELS;
  if (tiles) {
    const { planSharedTileConv } = await import("./shared-tile.ts");
    planSharedTileConv(call, shape, views);
  } else {
    const { planInRegisters } = await import("./plan-in-registers.ts");
    await planInRegisters(call, shape, views, row !== null);
  }
}
