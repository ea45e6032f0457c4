import { CONVOLUTIONS } from "@pt2/engine";
import { DTYPES, numel } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { onDemand } from "@pt2/registry/on-demand";
import { type KernelCall, type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import { computeType } from "../../wgsl/storage.ts";
import { planMatmul } from "../matmul/plan-matmul.ts";
import { asMatmul } from "./as-matmul.ts";
import { asOneRow } from "./as-one-row.ts";
import { fitsWinograd } from "./fits-winograd.ts";
import { type ConvGeometry, type ConvTensors, geometryOf, inputOf } from "./geometry.ts";

// A device uses one of the first two, a model some of the others.
const tiled = onDemand("convolution in tiles", () => import("./shared-tile.ts"));
const registers = onDemand("convolution in registers", () => import("./plan-in-registers.ts"));
const depthwise = onDemand("depthwise convolution", () => import("./depthwise.ts"));
const winograd = onDemand("Winograd convolution", () => import("./winograd.ts"));
const transposed = onDemand("transposed convolution", () => import("./transposed.ts"));

/** Channels of a group below which tiles in workgroup memory would be mostly empty. */
const LEAST_TILED_CHANNELS = 12;

/** Every convolution of one to three dimensions. */
export const convolution: WebgpuKernel = webgpuKernel({
  ops: CONVOLUTIONS,
  accepts: ({ weight }) => {
    const { dtype, shape } = weight;
    return DTYPES[dtype].kind !== "bool" && shape.length <= 5 && numel(shape) > 0;
  },
  fuses: true,
  prepare(call, args) {
    const geometry = geometryOf(call, args);
    const weight = call.tensor(args.weight);
    const bias = call.optional(args.bias);
    const tensors = { input: inputOf(call.tensor(args.input), weight.shape.length), weight, bias, output: null };
    if (numel((call.call.results[0] as TensorMeta).shape) === 0) call.output();
    else plan(call, geometry, tensors);
  },
});

function plan(call: KernelCall, geometry: ConvGeometry, tensors: ConvTensors): void {
  if (geometry.transposed) {
    transposed().planTransposed(call, geometry, tensors);
    return;
  }
  const product = asMatmul(geometry, tensors);
  if (product !== null) {
    planMatmul(call, product);
    return;
  }
  if (geometry.inChannels === 1 && geometry.groups > 1) {
    depthwise().planDepthwise(call, geometry, tensors);
    return;
  }
  if (fitsWinograd(call, geometry, tensors)) {
    winograd().planWinograd(call, geometry, tensors, planDense);
    return;
  }
  planDense(call, geometry, tensors);
}

/** A convolution over many channels, by tiles in workgroup memory on a GPU, by tiles in registers elsewhere. */
function planDense(call: KernelCall, geometry: ConvGeometry, tensors: ConvTensors): void {
  const row = asOneRow(geometry, tensors);
  const [shape, views] = row ?? [geometry, tensors];
  const float = computeType(tensors.input.dtype) === "f32";
  const tiles = !call.adapter.software && float && shape.outChannels >= LEAST_TILED_CHANNELS;
  if (tiles) tiled().planSharedTileConv(call, shape, views);
  else registers().planInRegisters(call, shape, views, row !== null);
}
