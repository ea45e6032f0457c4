import { readWeights } from "@pt2/runtime/node";
import { readTensors } from "../tensors.ts";
import type { Kind, OpenSubject, RowFiles } from "./subject.ts";

/** Single operations, of which every runtime has its own, and whole models. */
export const KERNEL_ROWS: Readonly<Record<string, string>> = {
  matmul_512: "product 512×512×512",
  matmul_2048: "product 2048×768×3072",
  conv_3x3: "convolution 3×3, 64 → 64 channels, 56×56",
  depthwise_3x3: "depthwise 3×3, 96 channels, 56×56",
  softmax: "softmax of 12×128 rows of 128",
  layer_norm: "layer norm of 128 rows of 768",
  attention: "attention, 12 heads, 128 positions of 64",
};
export const MODEL_ROWS: Readonly<Record<string, string>> = {
  resnet18: "ResNet-18, 224×224",
  mobilenet_v3_large: "MobileNetV3-L, 224×224",
  vit_tiny: "ViT-Ti/16, 224×224",
  minilm_128: "MiniLM-L6, 128 tokens",
};
/** Models of which only the dispatches are counted. */
export const COUNTED: readonly string[] = ["bert_base"];

const OPENERS: Readonly<Record<Kind, () => Promise<OpenSubject>>> = {
  pt2: async () => (await import("./ours.ts")).openOurs,
  onnx: async () => (await import("./onnx.ts")).openOnnx,
  "onnx nchw": async () => (await import("./onnx.ts")).openPlanarOnnx,
  "onnx fused": async () => (await import("./onnx.ts")).openFusedOnnx,
  "jax-js": async () => (await import("./jax.ts")).openJax,
  tfjs: async () => (await import("./tfjs.ts")).openTfjs,
};

/**
 * Returns what computes rows in one of the runtimes. The import is made here because tfjs looks for WebGPU during it.
 */
export async function openerOf(kind: Kind): Promise<OpenSubject> {
  return await OPENERS[kind]();
}

/** Reads the inputs and, for single operations, the weights of a row. */
export async function readRow(path: string, row: string): Promise<RowFiles> {
  const inputs = await readTensors(`${path}.inputs.safetensors`);
  if (KERNEL_ROWS[row] === undefined) return { path, inputs, weights: [] };
  const named = new Map<string, RowFiles["weights"][number]>();
  for await (const [name, tensor] of readWeights(`${path}.pt2`)) named.set(name, tensor);
  const weights = ["weight", "bias"].flatMap((name) => named.get(name) ?? []);
  return { path, inputs, weights };
}
