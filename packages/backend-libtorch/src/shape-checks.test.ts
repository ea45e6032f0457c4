import { type HostTensor, hostTensor } from "@pt2/backend";
import { numel } from "@pt2/format";
import type { OpName } from "@pt2/graph";
import { expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import type { OpArgs } from "./eager/op-args.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";

const zeros = (...shape: readonly number[]): HostTensor => hostTensor("float32", shape, new Float32Array(numel(shape)));
const places = (size: number): HostTensor => hostTensor("int64", [size], new BigInt64Array(size));

const C = 8;
const norm = {
  input: zeros(2, C),
  weight: zeros(C),
  bias: zeros(C),
  running_mean: zeros(C),
  running_var: zeros(C),
  training: false,
  momentum: 0.1,
  eps: 1e-5,
};
const normBackward = {
  grad_out: zeros(2, C),
  input: zeros(2, C),
  weight: zeros(C),
  running_mean: zeros(C),
  running_var: zeros(C),
  save_mean: zeros(C),
  save_invstd: zeros(C),
  train: true,
  eps: 1e-5,
  output_mask: [true, true, true],
};
const layer = {
  grad_out: zeros(4, 3),
  input: zeros(4, 3),
  normalized_shape: [3],
  mean: zeros(4, 1),
  rstd: zeros(4, 1),
  weight: zeros(3),
  bias: zeros(3),
  output_mask: [true, true, true],
};
const weights = { v: zeros(6, 2), g: zeros(6, 1), dim: 0 };
const weightsBackward = {
  grad_w: zeros(6, 2),
  saved_v: zeros(6, 2),
  saved_g: zeros(6, 1),
  saved_norms: zeros(6, 1),
  dim: 0,
};
const distances = { grad: zeros(4, 5), x1: zeros(4, 3), x2: zeros(5, 3), p: { float: 1 }, cdist: zeros(4, 5) };
const pairs = { grad: zeros(6), self: zeros(4, 3), p: { float: 1 }, pdist: zeros(6) };
const cumulated = { self: zeros(4), values: zeros(4), indices: places(4), dim: 0 };
const grid = {
  grad_output: zeros(1, 2, 3, 3),
  input: zeros(1, 2, 4, 4),
  grid: zeros(1, 3, 3, 2),
  interpolation_mode: 0,
  padding_mode: 0,
  align_corners: false,
  output_mask: [true, true],
};
const averaged = { grad_output: zeros(1, 2, 2, 2), self: zeros(1, 2, 4, 4) };
const attended = { query: zeros(1, 2, 8, 4), key: zeros(1, 2, 6, 4), value: zeros(1, 2, 6, 4) };
const attendedBackward = {
  grad_out: zeros(1, 2, 8, 4),
  ...attended,
  out: zeros(1, 2, 8, 4),
  logsumexp: zeros(1, 2, 8),
  dropout_p: { float: 0 },
  is_causal: false,
};
const resized = { self: zeros(1, 1, 4, 4), output_size: [8, 8], align_corners: false, scales_h: 2, scales_w: 2 };

/** Calls that fit, and an argument that made PyTorch 2.13 read or write outside of its tensors. */
const CASES: readonly (readonly [op: OpName, argument: string, args: OpArgs, wrong: OpArgs])[] = [
  ["aten::native_batch_norm", "weight", norm, { ...norm, weight: zeros(1) }],
  ["aten::native_batch_norm", "running_var", norm, { ...norm, running_var: zeros(1) }],
  ["aten::native_batch_norm_backward", "save_mean", normBackward, { ...normBackward, save_mean: zeros(1) }],
  ["aten::native_batch_norm_backward", "grad_out", normBackward, { ...normBackward, grad_out: zeros(2, 1) }],
  ["aten::native_layer_norm_backward", "mean", layer, { ...layer, mean: zeros(1) }],
  ["aten::native_layer_norm_backward", "grad_out", layer, { ...layer, grad_out: zeros(1, 3) }],
  ["aten::_weight_norm_interface", "g", weights, { ...weights, g: zeros(1) }],
  ["aten::_weight_norm", "g", weights, { ...weights, g: zeros(1) }],
  [
    "aten::_weight_norm_interface_backward",
    "saved_norms",
    weightsBackward,
    { ...weightsBackward, saved_norms: zeros(1) },
  ],
  ["aten::_cdist_backward", "grad", distances, { ...distances, grad: zeros(1, 1) }],
  ["aten::_cdist_backward", "cdist", distances, { ...distances, cdist: zeros(1, 1) }],
  ["aten::_pdist_backward", "grad", pairs, { ...pairs, grad: zeros(1) }],
  ["aten::_cummax_helper", "values", cumulated, { ...cumulated, values: zeros(1) }],
  ["aten::_cummin_helper", "indices", cumulated, { ...cumulated, indices: places(1) }],
  ["aten::grid_sampler_2d_backward", "grad_output", grid, { ...grid, grad_output: zeros(1, 1, 3, 3) }],
  ["aten::_adaptive_avg_pool2d_backward", "grad_output", averaged, { ...averaged, grad_output: zeros(1, 400, 2, 2) }],
  ["aten::scaled_dot_product_attention", "value", attended, { ...attended, value: zeros(1, 2, 4, 4) }],
  ["aten::_scaled_dot_product_flash_attention_for_cpu", "value", attended, { ...attended, value: zeros(1, 2, 4, 4) }],
  ["aten::_scaled_dot_product_flash_attention_for_cpu", "key", attended, { ...attended, key: zeros(1, 3, 6, 4) }],
  [
    "aten::_scaled_dot_product_flash_attention_for_cpu_backward",
    "logsumexp",
    attendedBackward,
    { ...attendedBackward, logsumexp: zeros(1, 2, 1) },
  ],
  ["aten::_upsample_bilinear2d_aa", "scales_h", resized, { ...resized, scales_h: 1e-12 }],
];

describeWithLibtorch("shapes that libtorch does not check", ({ addon }) => {
  const backend = new LibtorchBackend(addon, { threads: 1 });

  it.each(CASES)("%s refuses %s that does not fit, and runs what fits", (op, argument, args, wrong) => {
    const what = expect.stringContaining(`argument \`${argument}\``);
    expect(() => backend.callSync(op, wrong)).toThrow(expect.objectContaining({ code: "libtorch.argument", what }));
    backend.callSync(op, args);
  });
});
