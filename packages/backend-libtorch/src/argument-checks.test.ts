import { type HostTensor, hostTensor } from "@pt2/backend";
import { floats } from "@pt2/conformance";
import { numel } from "@pt2/format";
import type { OpName } from "@pt2/graph";
import { expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import type { OpArgs } from "./eager/op-args.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { elementsOf } from "./programs.test-helper.ts";

const zeros = (...shape: readonly number[]): HostTensor => hostTensor("float32", shape, new Float32Array(numel(shape)));
const spectrum = (...shape: readonly number[]): HostTensor =>
  hostTensor("complex64", shape, new Float32Array(2 * numel(shape)));

const two = [zeros(3), zeros(2, 4)];
const adam = {
  self: two,
  grads: two,
  exp_avgs: two,
  exp_avg_sqs: two,
  max_exp_avg_sqs: [],
  state_steps: [zeros(), zeros()],
  lr: 0.1,
  beta1: 0.9,
  beta2: 0.99,
  weight_decay: 0,
  eps: 1e-8,
  amsgrad: false,
  maximize: false,
};
const unfolded = { grad_in: zeros(2, 3, 2), input_sizes: [2, 4], dim: 1, size: 2, step: 1 };
const padded = { grad_output: zeros(2, 3, 7), self: zeros(2, 3, 4), padding: [1, 2] };
const weights = [zeros(16, 3), zeros(16, 4), zeros(16), zeros(16)];
const lstm = {
  input: zeros(5, 2, 3),
  hx: [zeros(1, 2, 4), zeros(1, 2, 4)],
  params: weights,
  has_biases: true,
  num_layers: 1,
  dropout: 0,
  train: false,
  bidirectional: false,
  batch_first: false,
};
const inverse = { self: spectrum(3), dim: [0], normalization: 0, last_dim_size: 4 };
const half = 2n ** 62n;

/** Calls that fit, and an argument that made PyTorch 2.13 end the process or leave its tensors. */
const CASES: readonly (readonly [op: OpName, argument: string, args: OpArgs, wrong: OpArgs])[] = [
  ["aten::_fused_adam_", "grads", adam, { ...adam, grads: [zeros(3)] }],
  ["aten::_fused_adam_", "exp_avgs", adam, { ...adam, exp_avgs: [zeros(3), zeros(2, 1)] }],
  ["aten::_fused_adam_", "max_exp_avg_sqs", adam, { ...adam, amsgrad: true }],
  ["aten::_fused_adam_", "state_steps", adam, { ...adam, state_steps: [zeros()] }],
  ["aten::_fused_adam_", "found_inf", adam, { ...adam, found_inf: zeros(0) }],
  ["aten::unfold_backward", "grad_in", unfolded, { ...unfolded, input_sizes: [2, 5] }],
  ["aten::reflection_pad1d_backward", "grad_output", padded, { ...padded, self: zeros(2, 9, 4) }],
  ["aten::replication_pad1d_backward", "padding", padded, { ...padded, padding: [1, 2, 3] }],
  ["aten::lstm.input", "hx", lstm, { ...lstm, hx: [zeros(1, 9, 4), zeros(1, 9, 4)] }],
  ["aten::lstm.input", "params", lstm, { ...lstm, num_layers: 1, params: weights.slice(1) }],
  ["aten::lstm.input", "params", lstm, { ...lstm, params: weights.with(2, zeros(3)) }],
  ["aten::_fft_c2r", "last_dim_size", inverse, { ...inverse, last_dim_size: 6 }],
  ["aten::_fft_c2r", "dim", inverse, { ...inverse, dim: [2 ** 40] }],
  [
    "aten::as_strided",
    "size",
    { self: zeros(4), size: [2, 2], stride: [2, 1] },
    { self: zeros(4), size: [half], stride: [1] },
  ],
  [
    "aten::rrelu_with_noise_functional",
    "noise",
    { self: zeros(4), noise: zeros(4) },
    { self: zeros(4), noise: zeros(2) },
  ],
  ["aten::special_legendre_polynomial_p.n_scalar", "n", { x: zeros(1), n: 3 }, { x: zeros(1), n: 2 ** 40 }],
];

describeWithLibtorch("arguments that libtorch does not check", ({ addon }) => {
  const backend = new LibtorchBackend(addon, { threads: 1 });

  it.each(CASES)("%s refuses %s that does not fit, and runs what fits", (op, argument, args, wrong) => {
    const what = expect.stringContaining(`argument \`${argument}\``);
    expect(() => backend.callSync(op, wrong)).toThrow(expect.objectContaining({ code: "libtorch.argument", what }));
    backend.callSync(op, args);
  });

  it.each(["int32", "int64"] as const)("the quotient of the least %s by -1 is refused, and no other", (dtype) => {
    const least = dtype === "int32" ? -(2 ** 31) : -(2n ** 63n);
    const make = (...values: readonly (number | bigint)[]): HostTensor =>
      dtype === "int32"
        ? hostTensor(dtype, [values.length], Int32Array.from(values, Number))
        : hostTensor(dtype, [values.length], BigInt64Array.from(values, BigInt));
    const divide = (self: HostTensor, other: HostTensor | number, rounding_mode = "trunc"): readonly unknown[] => {
      const op = typeof other === "number" ? "aten::div.Scalar_mode" : "aten::div.Tensor_mode";
      return elementsOf(backend.callSync(op, { self, other, rounding_mode })[0] as HostTensor).map(Number);
    };
    const refused = expect.objectContaining({ code: "libtorch.argument" });
    for (const other of [-1, make(3, -1), make(-1)]) expect(() => divide(make(1, least), other)).toThrow(refused);
    expect(divide(make(7, least), make(-1, 2))).toEqual([-7, Number(least) / 2]);
    expect(divide(make(-7, 9), -1)).toEqual([7, -9]);
    expect(divide(make(-7, least), 1)).toEqual([-7, Number(least)]);
  });

  it("tensors that only oneDNN can read do not meet ordinary ones", () => {
    const plain = addon.tensor(
      addon.storage(new Uint8Array(64)),
      { dtype: "float32", shape: [4, 4], strides: [4, 1], storageOffset: 0 },
      "cpu",
    );
    const self = { name: "self", value: { kind: "tensor", tensor: plain } } as const;
    const [packed] = addon.callSync("aten::to_mkldnn", [self]);
    const other = { name: "other", value: { kind: "tensor", tensor: packed as typeof plain } } as const;
    const mixed = (): unknown => addon.callSync("aten::add.Tensor", [self, other]);
    expect(mixed).toThrow(expect.objectContaining({ code: "libtorch.argument" }));
    expect(addon.callSync("aten::relu", [{ ...other, name: "self" }])).toHaveLength(1);
  });

  it("results without memory, and views of more than there is, come out or are refused", () => {
    const [nothing] = backend.callSync("aten::_efficientzerotensor", { size: [3] });
    expect(elementsOf(nothing as HostTensor)).toEqual([0, 0, 0]);
    const endless = (): unknown => backend.callSync("aten::expand", { self: floats([1], 1), size: [2 ** 50] });
    expect(endless).toThrow(expect.objectContaining({ code: expect.stringMatching(/^libtorch\./) }));
  });
});
