import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { perDim } from "../support/dims.ts";
import { emit } from "../support/emit.ts";
import { type Convolution, convolved, windows } from "./geometry.ts";

/** Defines the convolutions of one to three dimensions; all decompose into `convolution` with nine arguments. */
export const CONVOLUTION_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor",
    {
      infer: (conv) => convolved(conv),
      decompose: (conv, b) => (conv.weight.shape.length === 3 ? asTwoDimensional(b, conv) : null),
    },
  ),
  defineOp(
    "aten::_convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool benchmark, bool deterministic, bool cudnn_enabled, bool allow_tf32) -> Tensor",
    { decompose: (conv, b) => convolution(b, conv) },
  ),
  defineOp(
    "aten::_convolution.deprecated(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, int[] output_padding, SymInt groups, bool benchmark, bool deterministic, bool cudnn_enabled) -> Tensor",
    { decompose: (conv, b) => convolution(b, conv) },
  ),
  defineOp(
    "aten::_convolution_mode(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, str padding, SymInt[] dilation, SymInt groups) -> Tensor",
    { decompose: (conv, b) => padded(b, conv, conv.weight.shape.length - 2) },
  ),
  defineOp(
    "aten::conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] padding=[0], SymInt[1] dilation=[1], SymInt groups=1) -> Tensor",
    { infer: (conv) => forwardMeta(conv, 1), decompose: (conv, b) => forward(b, conv, 1) },
  ),
  defineOp(
    "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor",
    { infer: (conv) => forwardMeta(conv, 2), decompose: (conv, b) => forward(b, conv, 2) },
  ),
  defineOp(
    "aten::conv3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0], SymInt[3] dilation=[1, 1, 1], SymInt groups=1) -> Tensor",
    { infer: (conv) => forwardMeta(conv, 3), decompose: (conv, b) => forward(b, conv, 3) },
  ),
  defineOp(
    'aten::conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], str padding="valid", SymInt[1] dilation=[1], SymInt groups=1) -> Tensor',
    { decompose: (conv, b) => padded(b, conv, 1) },
  ),
  defineOp(
    'aten::conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], str padding="valid", SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor',
    { decompose: (conv, b) => padded(b, conv, 2) },
  ),
  defineOp(
    'aten::conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], str padding="valid", SymInt[3] dilation=[1, 1, 1], SymInt groups=1) -> Tensor',
    { decompose: (conv, b) => padded(b, conv, 3) },
  ),
  defineOp(
    "aten::conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] padding=[0], SymInt[1] output_padding=[0], SymInt groups=1, SymInt[1] dilation=[1]) -> Tensor",
    { window: { rank: 1, transposed: true }, decompose: (conv, b) => transposed(b, conv, 1) },
  ),
  defineOp(
    "aten::conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] output_padding=[0, 0], SymInt groups=1, SymInt[2] dilation=[1, 1]) -> Tensor",
    { window: { rank: 2, transposed: true }, decompose: (conv, b) => transposed(b, conv, 2) },
  ),
  defineOp(
    "aten::conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0], SymInt[3] output_padding=[0, 0, 0], SymInt groups=1, SymInt[3] dilation=[1, 1, 1]) -> Tensor",
    { window: { rank: 3, transposed: true }, decompose: (conv, b) => transposed(b, conv, 3) },
  ),
  defineOp("aten::conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) -> Tensor", {
    decompose: ({ self, weight, bias, pad }, b) => {
      const e = emit(b);
      const input = e.permute(self, [1, 2, 0]);
      const result = b.tensor("aten::conv1d", { input, weight: e.permute(weight, [2, 1, 0]), bias, padding: [pad] });
      return e.permute(result, [2, 0, 1]);
    },
  }),
];

type Forward = Omit<Convolution, "transposed" | "output_padding">;

function convolution(b: Builder, conv: Convolution): TensorMeta {
  const { input, weight, bias, transposed, groups } = conv;
  return b.tensor("aten::convolution", { input, weight, bias, ...windows(conv), transposed, groups });
}

/** Infers the result of an op such as `conv2d`. */
function forwardMeta(conv: Forward, spatial: number): TensorMeta {
  const { dtype, shape } = conv.input;
  checkRank(conv, spatial);
  const isBatched = shape.length === spatial + 2;
  const input = isBatched ? conv.input : { dtype, shape: [1, ...shape] };
  const result = convolved({ ...conv, input, transposed: false, output_padding: [0] });
  return isBatched ? result : { dtype, shape: result.shape.slice(1) };
}

function checkRank({ input }: Pick<Convolution, "input">, spatial: number): void {
  const rank = input.shape.length;
  check(
    rank === spatial + 2 || rank === spatial + 1,
    () =>
      `Expected ${spatial + 1}D (unbatched) or ${spatial + 2}D (batched) input to conv${spatial}d, but got input of size: ${show(input.shape)}`,
  );
}

function forward(b: Builder, conv: Forward, spatial: number): TensorMeta {
  return unbatched(b, { ...conv, transposed: false, output_padding: [0] }, spatial);
}

function transposed(b: Builder, conv: Omit<Convolution, "transposed">, spatial: number): TensorMeta {
  check(
    conv.output_padding.length > 0,
    () => `expected output_padding to be a single integer value or ${spatial} values`,
  );
  return unbatched(b, { ...conv, transposed: true }, spatial);
}

/** Calls `convolution` for ops such as `conv2d`, which also accept an input without a batch dimension. */
function unbatched(b: Builder, conv: Convolution, spatial: number): TensorMeta {
  checkRank(conv, spatial);
  if (conv.input.shape.length === spatial + 2) return convolution(b, conv);
  const e = emit(b);
  return e.squeeze(convolution(b, { ...conv, input: e.unsqueeze(conv.input, 0) }), 0);
}

/**
 * Applies `padding="same"`, which pads by the extent of the kernel; if that is odd, the extra element is at the end.
 */
function padded(
  b: Builder,
  conv: Omit<Forward, "padding"> & { readonly padding: string },
  spatial: number,
): TensorMeta {
  if (conv.padding === "valid") return forward(b, { ...conv, padding: [0] }, spatial);
  check(conv.padding === "same", () => `Invalid padding string: '${conv.padding}'`);
  const dilation = perDim(conv.dilation, spatial, "dilation");
  check(
    conv.weight.shape.length === spatial + 2,
    () => `Expected ${spatial + 2}D weight, but got ${show(conv.weight.shape)}`,
  );
  check(
    conv.stride.every((s) => s === 1),
    "padding='same' is not supported for strided convolutions",
  );
  const totals = dilation.map((d, i) => d * (conv.weight.shape[i + 2]! - 1));
  const extra = totals.map((total) => total % 2);
  const pad = extra.toReversed().flatMap((end) => [0, end]);
  const input = extra.includes(1) ? b.tensor("aten::constant_pad_nd", { self: conv.input, pad, value: 0 }) : conv.input;
  return forward(b, { ...conv, input, padding: totals.map((total) => Math.floor(total / 2)) }, spatial);
}

/** Computes a 1-d convolution as a 2-d one of height 1. */
function asTwoDimensional(b: Builder, conv: Convolution): TensorMeta {
  const e = emit(b);
  const args = windows(conv);
  const lifted = convolution(b, {
    ...conv,
    input: e.unsqueeze(conv.input, 2),
    weight: e.unsqueeze(conv.weight, 2),
    stride: [1, ...args.stride],
    padding: [0, ...args.padding],
    dilation: [1, ...args.dilation],
    output_padding: [0, ...args.output_padding],
  });
  return e.squeeze(lifted, 2);
}
