import { numel } from "@pt2/format";
import type { WebgpuKernel } from "../../engine/kernel.ts";
import { areFloats } from "../floats.ts";
import { planRowNorm } from "./row-norm.ts";

/** `layer_norm` and `native_layer_norm`, which also returns mean and reciprocal deviation of each row. */
const layerNorm: WebgpuKernel = {
  ops: ["aten::layer_norm", "aten::native_layer_norm"],
  accepts: (args) => areFloats(args, "input", "weight", "bias"),
  fuses: true,
  prepare: (call) =>
    planRowNorm(call, {
      name: "layer_norm",
      input: call.tensor("input"),
      rowDims: call.arg<readonly number[]>("normalized_shape").length,
      eps: call.arg<number>("eps"),
      centered: true,
      weight: call.optional("weight"),
      bias: call.optional("bias"),
      channels: null,
    }),
};

/** `rms_norm(input, normalized_shape, weight?, eps?)` */
const rmsNorm: WebgpuKernel = {
  ops: ["aten::rms_norm"],
  accepts: (args) => areFloats(args, "input", "weight"),
  fuses: true,
  prepare(call) {
    const input = call.tensor("input");
    planRowNorm(call, {
      name: "rms_norm",
      input,
      rowDims: call.arg<readonly number[]>("normalized_shape").length,
      eps: call.arg<number | null>("eps") ?? EPSILON[input.dtype as keyof typeof EPSILON],
      centered: false,
      weight: call.optional("weight"),
      bias: null,
      channels: null,
    });
  },
};

/** `torch.finfo(dtype).eps`, the default of `rms_norm`. */
const EPSILON = { float64: 2 ** -52, float32: 2 ** -23, float16: 2 ** -10, bfloat16: 2 ** -7 } as const;

/** `group_norm` and `native_group_norm`: a row is a group of channels of one image. */
const groupNorm: WebgpuKernel = {
  ops: ["aten::group_norm", "aten::native_group_norm"],
  accepts: (args) => areFloats(args, "input", "weight", "bias"),
  fuses: true,
  prepare(call) {
    const input = call.dense(call.tensor("input"));
    const [batch, , ...space] = input.shape as readonly [number, number, ...number[]];
    const groups = call.arg<number>("num_groups") ?? call.arg<number>("group");
    const n = numel(input.shape) / Math.max(1, batch * groups);
    planRowNorm(call, {
      name: "group_norm",
      input: { ...input, shape: [batch * groups, n], strides: [n, 1] },
      rowDims: 1,
      eps: call.arg<number>("eps"),
      centered: true,
      weight: call.optional("weight"),
      bias: call.optional("bias"),
      channels: { groups, space: numel(space) },
    });
  },
};

export const NORMS: readonly WebgpuKernel[] = [layerNorm, rmsNorm, groupNorm];
