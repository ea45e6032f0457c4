import { numel } from "@pt2/format";
import { type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import { areFloats } from "../floats.ts";
import { planRowNorm } from "./row-norm.ts";

/** `layer_norm` and `native_layer_norm`, which also returns mean and reciprocal deviation of each row. */
const layerNorm: WebgpuKernel = webgpuKernel({
  ops: ["aten::layer_norm", "aten::native_layer_norm"],
  accepts: ({ input, weight, bias }) => areFloats(input, weight, bias),
  fuses: true,
  prepare: (call, args) =>
    planRowNorm(call, {
      name: "layer_norm",
      input: call.tensor(args.input),
      rowDims: args.normalized_shape.length,
      eps: args.eps,
      centered: true,
      weight: call.optional(args.weight),
      bias: call.optional(args.bias),
      channels: null,
    }),
});

/** `rms_norm(input, normalized_shape, weight?, eps?)` */
const rmsNorm: WebgpuKernel = webgpuKernel({
  ops: ["aten::rms_norm"],
  accepts: ({ input, weight }) => areFloats(input, weight),
  fuses: true,
  prepare(call, args) {
    const input = call.tensor(args.input);
    planRowNorm(call, {
      name: "rms_norm",
      input,
      rowDims: args.normalized_shape.length,
      eps: args.eps ?? (input.dtype === "float64" ? Number.EPSILON : EPSILON),
      centered: false,
      weight: call.optional(args.weight),
      bias: null,
      channels: null,
    });
  },
});

/** `torch.finfo(torch.float32).eps`, the default of `rms_norm` also in half precision, which PyTorch computes in float32. */
const EPSILON = 2 ** -23;

/** `group_norm` and `native_group_norm`: a row is a group of channels of one image. */
const groupNorm: WebgpuKernel = webgpuKernel({
  ops: ["aten::group_norm", "aten::native_group_norm"],
  accepts: ({ input, weight, bias }) => areFloats(input, weight, bias),
  fuses: true,
  prepare(call, args) {
    const input = call.dense(call.tensor(args.input));
    const [batch, , ...space] = input.shape as readonly [number, number, ...number[]];
    const groups = args.num_groups ?? args.group!;
    const n = numel(input.shape) / Math.max(1, batch * groups);
    planRowNorm(call, {
      name: "group_norm",
      input: { ...input, shape: [batch * groups, n], strides: [n, 1] },
      rowDims: 1,
      eps: args.eps,
      centered: true,
      weight: call.optional(args.weight),
      bias: call.optional(args.bias),
      channels: { groups, space: numel(space) },
    });
  },
});

export const NORMS: readonly WebgpuKernel[] = [layerNorm, rmsNorm, groupNorm];
