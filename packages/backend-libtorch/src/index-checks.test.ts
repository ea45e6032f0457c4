import { type HostTensor, hostTensor } from "@pt2/backend";
import { floats } from "@pt2/conformance";
import { numel } from "@pt2/format";
import type { OpName } from "@pt2/graph";
import { expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import type { OpArgs } from "./eager/op-args.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { compileBody, elementsOf } from "./programs.test-helper.ts";

const FAR = 2 ** 38;
const zeros = (...shape: readonly number[]): HostTensor => hostTensor("float32", shape, new Float32Array(numel(shape)));
const ints = (shape: readonly number[], ...elements: readonly number[]): HostTensor =>
  hostTensor("int64", shape, BigInt64Array.from(elements, BigInt));
const same = (shape: readonly number[], element: number): HostTensor =>
  ints(shape, ...new Array<number>(numel(shape)).fill(element));

const pool = (dims: number, indices: HostTensor) => ({
  grad_output: zeros(1, 1, ...new Array<number>(dims).fill(2)),
  self: zeros(1, 1, ...new Array<number>(dims).fill(4)),
  kernel_size: new Array<number>(dims).fill(2),
  stride: new Array<number>(dims).fill(2),
  padding: new Array<number>(dims).fill(0),
  dilation: new Array<number>(dims).fill(1),
  ceil_mode: false,
  indices,
});
const adaptive = ({ grad_output, self, indices }: ReturnType<typeof pool>): OpArgs => ({ grad_output, self, indices });
const ctc = { log_probs: zeros(5, 2, 4), input_lengths: [5, 5], target_lengths: [3, 3] };
const ctcBackward = {
  grad: zeros(2),
  ...ctc,
  targets: same([2, 3], 1),
  neg_log_likelihood: zeros(2),
  log_alpha: zeros(2, 5, 7),
  blank: 0,
};
const data = zeros(8, 3);
const segment = { grad: zeros(1, 3), output: zeros(1, 3), data, reduce: "sum", axis: 0 };
const weight = zeros(10, 3);
const bags = {
  grad: zeros(1, 3),
  indices: ints([2], 0, 1),
  offset2bag: ints([2], 0, 0),
  bag_size: ints([1], 2),
  maximum_indices: ints([1], 0),
  num_weights: 10,
  scale_grad_by_freq: false,
  mode: 0,
  per_sample_weights: null,
};
const plane = { self: zeros(1, 3, 2, 2), weight: null, ignore_index: -100, total_weight: zeros() };
const sum = "aten::_embedding_bag_per_sample_weights_backward";

/** Calls that made PyTorch 2.13 read or write outside of its tensors. */
const BEYOND: readonly (readonly [op: OpName, argument: string, args: OpArgs])[] = [
  ["aten::max_pool2d_with_indices_backward", "indices", pool(2, same([1, 1, 2, 2], FAR))],
  ["aten::max_pool2d_with_indices_backward", "indices", pool(2, same([1, 1, 2, 2], -1))],
  ["aten::max_pool3d_with_indices_backward", "indices", pool(3, same([1, 1, 2, 2, 2], 64))],
  ["aten::adaptive_max_pool2d_backward", "indices", adaptive(pool(2, same([1, 1, 2, 2], 16)))],
  ["aten::adaptive_max_pool3d_backward", "indices", adaptive(pool(3, same([1, 1, 2, 2, 2], FAR)))],
  ["aten::_ctc_loss", "targets", { ...ctc, targets: same([2, 3], FAR) }],
  ["aten::_ctc_loss", "targets", { ...ctc, targets: same([6], -4) }],
  ["aten::ctc_loss.IntList", "targets", { ...ctc, targets: same([2, 3], 4) }],
  [
    "aten::_ctc_loss.Tensor",
    "targets",
    { ...ctc, input_lengths: ints([2], 5, 5), target_lengths: ints([2], 3, 3), targets: same([2, 3], 4) },
  ],
  ["aten::_ctc_loss_backward", "targets", { ...ctcBackward, targets: same([2, 3], FAR) }],
  ["aten::_ctc_loss_backward", "input_lengths", { ...ctcBackward, input_lengths: [500_000_000, 5] }],
  ["aten::_ctc_loss_backward", "target_lengths", { ...ctcBackward, target_lengths: [30_000_000, 3] }],
  ["aten::_ctc_loss_backward", "log_alpha", { ...ctcBackward, log_alpha: zeros(2, 5, 6) }],
  ["aten::segment_reduce", "lengths", { data, reduce: "sum", lengths: ints([2], FAR, 8) }],
  ["aten::segment_reduce", "offsets", { data, reduce: "sum", offsets: ints([2], 0, 9) }],
  ["aten::segment_reduce", "offsets", { data, reduce: "sum", offsets: ints([2], -FAR, 8) }],
  ["aten::segment_reduce", "unsafe", { data, reduce: "sum", lengths: ints([1], 8), unsafe: true }],
  ["aten::_segment_reduce_backward", "offsets", { ...segment, offsets: ints([2], 0, FAR) }],
  ["aten::_segment_reduce_backward", "lengths", { ...segment, lengths: ints([1], FAR) }],
  ["aten::_segment_reduce_backward", "grad", { ...segment, lengths: same([8], 1) }],
  ["aten::_embedding_bag", "offsets", { weight, indices: ints([2], 0, 1), offsets: ints([2], 0, -FAR) }],
  ["aten::_embedding_bag", "offsets", { weight, indices: ints([3], 0, 1, 2), offsets: ints([3], 0, 2, 1) }],
  ["aten::_embedding_bag_dense_backward", "indices", { ...bags, indices: ints([2], 0, FAR) }],
  ["aten::_embedding_bag_dense_backward", "offset2bag", { ...bags, offset2bag: ints([2], 0, FAR) }],
  ["aten::_embedding_bag_dense_backward", "bag_size", { ...bags, bag_size: ints([0]), mode: 1 }],
  [
    "aten::_embedding_bag_backward",
    "indices",
    { ...bags, indices: ints([2], 0, 10), offsets: ints([1], 0), sparse: false },
  ],
  [
    sum,
    "indices",
    {
      grad: zeros(1, 3),
      weight,
      indices: ints([2], 0, FAR),
      offsets: ints([1], 0),
      offset2bag: bags.offset2bag,
      mode: 0,
    },
  ],
  [
    sum,
    "offset2bag",
    { grad: zeros(1, 3), weight, indices: bags.indices, offsets: ints([1], 0), offset2bag: ints([2], 0, FAR), mode: 0 },
  ],
  [
    "aten::embedding_dense_backward",
    "indices",
    {
      grad_output: zeros(2, 3),
      indices: ints([2], 0, FAR),
      num_weights: 10,
      padding_idx: -1,
      scale_grad_by_freq: true,
    },
  ],
  [
    "aten::nll_loss2d_backward",
    "target",
    { ...plane, grad_output: zeros(1, 2, 2), target: ints([1, 2, 2], -100, 0, 1, FAR), reduction: 0 },
  ],
  ["aten::_convert_indices_from_coo_to_csr", "self", { self: ints([2], 0, FAR), size: 4 }],
  [
    "aten::_convert_indices_from_csr_to_coo",
    "crow_indices",
    { crow_indices: ints([3], 0, 200_000_000, 1), col_indices: ints([2], 0, 1) },
  ],
];

describeWithLibtorch("indices that libtorch does not check", ({ addon }) => {
  const backend = new LibtorchBackend(addon, { threads: 1 });

  it.each(BEYOND)("%s refuses %s outside of its tensors", (op, argument, args) => {
    const what = expect.stringContaining(`argument \`${argument}\``);
    expect(() => backend.callSync(op, args)).toThrow(expect.objectContaining({ code: "libtorch.argument", what }));
  });

  it("what PyTorch allows is run: padding beyond a target, ignored elements, planes to their last element", () => {
    const indices = ints([1, 1, 2, 2], 0, 3, 12, 15);
    const grad = floats([1, 1, 2, 2], 1, 2, 3, 4);
    const [back] = backend.callSync("aten::max_pool2d_with_indices_backward", {
      ...pool(2, indices),
      grad_output: grad,
    });
    expect(elementsOf(back as HostTensor)).toEqual([1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 4]);
    const padded = { ...ctc, targets: ints([2, 3], 1, 2, 3, 1, -1, FAR), target_lengths: [3, 1] };
    expect(backend.callSync("aten::_ctc_loss", padded)).toHaveLength(2);
    const target = ints([1, 2, 2], -100, 0, 1, 2);
    const loss = { ...plane, grad_output: zeros(1, 2, 2), target, reduction: 0 };
    expect(backend.callSync("aten::nll_loss2d_backward", loss)).toHaveLength(1);
    expect(backend.callSync("aten::_ctc_loss_backward", ctcBackward)).toHaveLength(1);
    expect(backend.callSync("aten::_embedding_bag_dense_backward", { ...bags, mode: 1 })).toHaveLength(1);
    expect(backend.callSync("aten::segment_reduce", { data, reduce: "sum", offsets: ints([3], 0, 4, 8) })).toHaveLength(
      1,
    );
  });

  it("the checks run in programs too, and the failure names the node", async () => {
    const body = `
  user_input %grad: f32[1, 1, 2, 2]
  user_input %x: f32[1, 1, 4, 4]
  user_input %indices: i64[1, 1, 2, 2]
  %y: f32[1, 1, 4, 4] = aten::max_pool2d_with_indices_backward(grad_output=%grad, self=%x, kernel_size=[2, 2], stride=[2, 2], padding=[0, 0], dilation=[1, 1], ceil_mode=false, indices=%indices)
  return %y`;
    const executable = await compileBody(backend, body);
    const run = (element: number) =>
      executable.run([zeros(1, 1, 2, 2), zeros(1, 1, 4, 4), same([1, 1, 2, 2], element)]);
    await expect(run(16)).rejects.toMatchObject({ code: "libtorch.argument", where: expect.stringContaining("y") });
    await run(15);
    await executable.dispose();
  });
});
