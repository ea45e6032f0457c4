import { DTYPES, elementCount } from "@pt2/format";
import type { ArgValue, TensorMeta } from "@pt2/registry";
import type { KernelCall, WebgpuKernel } from "../../engine/kernel.ts";
import { computeType } from "../../wgsl/storage.ts";
import { planProduct } from "../matmul/plan-product.ts";
import { planDepthwise } from "./depthwise.ts";
import { depthwiseRows, planDepthwiseRows } from "./depthwise-rows.ts";
import { type ConvGeometry, type ConvTensors, geometryOf, inputOf } from "./geometry.ts";
import { asOneRow, fitsPointwise, planPointwise } from "./pointwise.ts";
import { planRows } from "./rows.ts";
import { planTiled } from "./tiled.ts";
import { planTransposed } from "./transposed.ts";
import { asProduct } from "./whole-input.ts";
import { fitsWinograd, planWinograd } from "./winograd.ts";

/** Channels of a group below which tiles in workgroup memory would be mostly empty. */
const LEAST_TILED_CHANNELS = 12;

/** Every convolution of one to three dimensions. */
export const convolution: WebgpuKernel = {
  ops: [
    "aten::convolution",
    "aten::conv1d",
    "aten::conv2d",
    "aten::conv3d",
    "aten::conv1d.padding",
    "aten::conv2d.padding",
    "aten::conv3d.padding",
    "aten::conv_transpose1d",
    "aten::conv_transpose2d.input",
    "aten::conv_transpose3d.input",
  ],
  accepts: (args: Readonly<Record<string, ArgValue>>) => {
    const { dtype, shape } = args["weight"] as TensorMeta;
    return DTYPES[dtype].kind !== "bool" && shape.length <= 5 && elementCount(shape) > 0;
  },
  fuses: true,
  prepare(call) {
    const geometry = geometryOf(call);
    const weight = call.tensor("weight");
    const bias = call.optional("bias");
    const tensors = { input: inputOf(call.tensor("input"), weight.shape.length), weight, bias, output: null };
    if (elementCount((call.call.results[0] as TensorMeta).shape) === 0) call.output();
    else plan(call, geometry, tensors);
  },
};

function plan(call: KernelCall, geometry: ConvGeometry, tensors: ConvTensors): void {
  if (geometry.transposed) {
    planTransposed(call, geometry, tensors);
    return;
  }
  const product = asProduct(geometry, tensors);
  if (product !== null) {
    planProduct(call, product);
    return;
  }
  if (geometry.inChannels === 1 && geometry.groups > 1) {
    const rows = depthwiseRows(call, geometry);
    if (rows > 1) planDepthwiseRows(call, geometry, tensors, rows);
    else planDepthwise(call, geometry, tensors);
    return;
  }
  if (fitsWinograd(call, geometry, tensors)) {
    planWinograd(call, geometry, tensors, planDense);
    return;
  }
  planDense(call, geometry, tensors);
}

/** A convolution over many channels, by tiles in workgroup memory on a GPU, by tiles in registers elsewhere. */
function planDense(call: KernelCall, geometry: ConvGeometry, tensors: ConvTensors): void {
  const row = asOneRow(geometry, tensors);
  const [shape, places] = row ?? [geometry, tensors];
  const float = computeType(tensors.input.dtype) === "f32";
  if (!call.adapter.software && float && shape.outChannels >= LEAST_TILED_CHANNELS) planTiled(call, shape, places);
  else if (row !== null && fitsPointwise(shape, places)) planPointwise(call, shape, places);
  else planRows(call, shape, places);
}
