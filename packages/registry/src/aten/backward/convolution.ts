import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { type Convolution, convolved, windows } from "../conv/geometry.ts";
import { check, show } from "../support/check.ts";
import { range, sameShape } from "../support/dims.ts";
import { emit } from "../support/emit.ts";

/** Defines the gradients of a convolution as convolutions. */
export const CONVOLUTION_BACKWARD_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::convolution_backward(Tensor grad_output, Tensor input, Tensor weight, SymInt[]? bias_sizes, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
    {
      infer: ({ bias_sizes, output_mask, grad_output, ...conv }) => {
        const { input, weight } = conv;
        const { shape } = convolved({ ...conv, bias: null });
        check(
          sameShape(shape, grad_output.shape),
          () => `convolution_backward: expected grad_output of shape ${show(shape)}, got ${show(grad_output.shape)}`,
        );
        const shapes = [input.shape, weight.shape, bias_sizes ?? [grad_output.shape[1]!]];
        const part = (i: 0 | 1 | 2): TensorMeta => ({ dtype: input.dtype, shape: output_mask[i] ? shapes[i]! : [0] });
        return [part(0), part(1), part(2)];
      },
      decompose: ({ grad_output, output_mask, bias_sizes, ...given }, b) => {
        const e = emit(b);
        const conv = { ...given, bias: null, ...windows({ ...given, bias: null }) };
        const none = (): TensorMeta => e.full([0], 0, given.input.dtype);
        const rest = range(grad_output.shape.length).filter((d) => d !== 1);
        return [
          output_mask[0] ? inputGradient(b, grad_output, conv) : none(),
          output_mask[1]
            ? conv.transposed
              ? weightGradient(b, conv.input, { ...conv, input: grad_output })
              : weightGradient(b, grad_output, conv)
            : none(),
          output_mask[2] ? e.sum(grad_output, rest) : none(),
        ];
      },
    },
  ),
];

/**
 * Returns the gradient of the input: the transposed convolution, padded at the end by what the stride skipped. That of a
 * transposed convolution is the convolution, without the windows at the end that the output padding adds.
 */
function inputGradient(b: Builder, grad: TensorMeta, conv: Convolution): TensorMeta {
  if (conv.transposed) {
    const windows = b.tensor("aten::convolution", { ...conv, input: grad, transposed: false });
    return trimmed(b, windows, conv.input.shape);
  }
  const output_padding = conv.stride.map((stride, d) => {
    const reach = conv.dilation[d]! * (conv.weight.shape[d + 2]! - 1) + 1;
    return conv.input.shape[d + 2]! - ((grad.shape[d + 2]! - 1) * stride - 2 * conv.padding[d]! + reach);
  });
  return b.tensor("aten::convolution", { ...conv, input: grad, transposed: true, output_padding });
}

/**
 * Returns the gradient of the weight: the input convolved with the gradient, with channels as batch, batch as channels
 * of each group, and stride as dilation. In a transposed convolution, input and gradient change places.
 */
function weightGradient(
  b: Builder,
  grad: TensorMeta,
  { input, weight, stride, padding, dilation, groups }: Convolution,
): TensorMeta {
  const e = emit(b);
  const [batch, spatial] = [input.shape[0]!, range(input.shape.length - 2)];
  const order = spatial.map((d) => d + 3);
  /** [batch, groups × n, …] as [groups, n, batch, …] */
  const apart = (x: TensorMeta, dims: readonly number[]): TensorMeta => {
    const split = e.reshape(x, [batch, groups, x.shape[1]! / groups, ...x.shape.slice(2)]);
    return e.permute(split, [...dims, ...order]);
  };
  const [inner, outer] = [input.shape[1]! / groups, grad.shape[1]!];
  const windows = b.tensor("aten::convolution", {
    input: e.reshape(apart(input, [2, 1, 0]), [inner, groups * batch, ...input.shape.slice(2)]),
    weight: e.reshape(apart(grad, [1, 2, 0]), [outer, batch, ...grad.shape.slice(2)]),
    bias: null,
    stride: dilation,
    padding,
    dilation: stride,
    transposed: false,
    output_padding: [0],
    groups,
  });
  // Drops rows at the end that no window of the forward convolution reached.
  return trimmed(b, e.transpose(windows, 0, 1), weight.shape);
}

/** Cuts the spatial dimensions to the sizes that they have in `shape`. */
function trimmed(b: Builder, x: TensorMeta, shape: readonly number[]): TensorMeta {
  return shape
    .slice(2)
    .reduce((rest, size, d) => (rest.shape[d + 2] === size ? rest : emit(b).slice(rest, d + 2, 0, size)), x);
}
