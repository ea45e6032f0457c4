import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { checkImage, pooledShape, windowOf } from "../pool/window.ts";
import { check, show } from "../support/check.ts";
import { numel, range, sameShape } from "../support/dims.ts";
import { checkIndex, checkSameDtype, isFloat } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/** Defines the backward ops that a program with a training step may name. */
export const BACKWARD_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor",
    {
      decompose: ({ grad_output, output, dim, input_dtype }, b) => {
        const e = emit(b);
        const [grad, y] = [grad_output, output].map(e.wide);
        const product = e.mul(grad!, y!);
        return e.cast(e.sub(product, e.mul(y!, e.sum(product, [dim], true))), input_dtype);
      },
    },
  ),
  defineOp(
    "aten::_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor",
    {
      decompose: ({ grad_output, output, dim, input_dtype }, b) => {
        const e = emit(b);
        const [grad, y] = [grad_output, output].map(e.wide);
        return e.cast(e.sub(grad!, e.mul(e.exp(y!), e.sum(grad!, [dim], true))), input_dtype);
      },
    },
  ),
  defineOp(
    "aten::embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt num_weights, SymInt padding_idx, bool scale_grad_by_freq) -> Tensor",
    {
      requires: { kinds: { indices: "index" } },
      decompose: ({ grad_output, indices, num_weights, padding_idx, scale_grad_by_freq }, b) => {
        const e = emit(b);
        const width = grad_output.shape.at(-1)!;
        const count = numel(indices.shape);
        const index = e.reshape(e.cast(indices, "int64"), [count]);
        const kept = padding_idx < 0 ? null : e.ne(index, padding_idx);
        const rows = e.reshape(grad_output, [count, width]);
        const shown = kept === null ? rows : e.where(e.unsqueeze(kept, 1), rows, 0);
        const scaled = scale_grad_by_freq ? e.div(shown, e.unsqueeze(frequency(b, index, num_weights), 1)) : shown;
        return b.tensor("aten::index_add", {
          self: e.full([num_weights, width], 0, grad_output.dtype),
          dim: 0,
          index,
          source: scaled,
        });
      },
    },
  ),
  defineOp(
    "aten::native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[] normalized_shape, Tensor mean, Tensor rstd, Tensor? weight, Tensor? bias, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
    {
      requires: { same: ["input", "grad_out", "mean", "rstd", "weight", "bias"] },
      decompose: (given, b) => {
        const { input, normalized_shape, weight, bias, output_mask } = given;
        const e = emit(b);
        check(normalized_shape.length > 0, "Expected normalized_shape to be at least 1-dimensional");
        for (const [i, [name, parameter]] of Object.entries({ weight, bias }).entries()) {
          check(
            parameter === null ? !output_mask[i + 1] : sameShape(parameter.shape, normalized_shape),
            () =>
              `Expected ${name} to be of same shape as normalized_shape ${show(normalized_shape)}, but got ${parameter === null ? "none" : show(parameter.shape)}`,
          );
        }
        check(
          sameShape(input.shape.slice(input.shape.length - normalized_shape.length), normalized_shape),
          () =>
            `native_layer_norm_backward: expected an input that ends in ${show(normalized_shape)}, got ${show(input.shape)}`,
        );
        const inner = range(input.shape.length).slice(input.shape.length - normalized_shape.length);
        const outer = range(input.shape.length - normalized_shape.length);
        const [grad_out, x] = [e.wide(given.grad_out), e.wide(input)];
        const [mean, rstd] = [e.wide(given.mean), e.wide(given.rstd)];
        const unit = e.mul(e.sub(x, mean), rstd);
        const grad = weight === null ? grad_out : e.mul(grad_out, weight);
        const centered = e.sub(grad, e.mean(grad, inner, true));
        const input_grad = e.mul(e.sub(centered, e.mul(unit, e.mean(e.mul(grad, unit), inner, true))), rstd);
        const over = (x: TensorMeta): TensorMeta => (outer.length === 0 ? x : e.sum(x, outer));
        return masked(b, output_mask, [
          () => e.cast(input_grad, input.dtype),
          () => e.cast(over(e.mul(grad_out, unit)), weight!.dtype),
          () => e.cast(over(grad_out), bias!.dtype),
        ]);
      },
    },
  ),
  defineOp(
    "aten::native_group_norm_backward(Tensor grad_out, Tensor input, Tensor mean, Tensor rstd, Tensor? weight, SymInt N, SymInt C, SymInt HxW, int group, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
    {
      requires: { same: ["input", "grad_out", "mean", "rstd", "weight"] },
      decompose: ({ grad_out, input, mean: given, rstd, weight, N, C, HxW, group, output_mask }, b) => {
        const e = emit(b);
        check(
          N * C * HxW === numel(input.shape),
          () => `native_group_norm_backward: N=${N}, C=${C} and HxW=${HxW} are not those of ${show(input.shape)}`,
        );
        check(
          weight !== null || !output_mask[1],
          "native_group_norm_backward: the gradient of a weight needs the weight",
        );
        const shape = [N, group, C / group, HxW];
        const [x, grad] = [e.wide(e.reshape(input, shape)), e.wide(e.reshape(grad_out, shape))];
        const statistic = (x: TensorMeta): TensorMeta => e.wide(e.reshape(x, [N, group, 1, 1]));
        const [mean, deviation] = [statistic(given), statistic(rstd)];
        const unit = e.mul(e.sub(x, mean), deviation);
        const scaled = weight === null ? grad : e.mul(grad, e.reshape(weight, [1, group, C / group, 1]));
        const average = (y: TensorMeta): TensorMeta => e.mean(y, [2, 3], true);
        const centered = e.sub(e.sub(scaled, average(scaled)), e.mul(unit, average(e.mul(scaled, unit))));
        const channel = (y: TensorMeta): TensorMeta =>
          e.cast(e.reshape(e.sum(y, [0, 3]), [C]), weight?.dtype ?? given.dtype);
        const parts = [
          () => e.cast(e.reshape(e.mul(centered, deviation), input.shape), input.dtype),
          () => channel(e.mul(grad, unit)),
          () => channel(grad),
        ] as const;
        return masked(b, output_mask, parts);
      },
    },
  ),
  defineOp(
    "aten::max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, int[2] dilation, bool ceil_mode, Tensor indices) -> Tensor",
    {
      decompose: ({ grad_output, self, indices, ...window }, b) => {
        const e = emit(b);
        const op = "max_pool2d_with_indices_backward";
        const shape = pooledShape(op, self, windowOf(op, window, 2));
        checkIndex(op, indices, false);
        for (const given of [grad_output, indices]) {
          check(
            sameShape(given.shape, shape),
            () => `${op}: expected a tensor of shape ${show(shape)}, got ${show(given.shape)}`,
          );
        }
        const rows = numel(self.shape.slice(0, -2));
        const flat = (x: TensorMeta): TensorMeta => e.reshape(x, [rows, numel(x.shape.slice(-2))]);
        const zeros = e.full([rows, numel(self.shape.slice(-2))], 0, self.dtype);
        const added = b.tensor("aten::scatter_add", {
          self: zeros,
          dim: 1,
          index: flat(indices),
          src: flat(grad_output),
        });
        return e.reshape(added, self.shape);
      },
    },
  ),
  defineOp(
    "aten::avg_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor",
    {
      window: { rank: 2, reduce: "mean" },
      infer: (args) => {
        const op = "avg_pool2d_backward";
        const { divisor_override } = args;
        check(divisor_override !== 0, "divisor must be not zero");
        return averageGradient(op, args, pooledShape(op, args.self, windowOf(op, args, 2)));
      },
    },
  ),
  defineOp("aten::_adaptive_avg_pool2d_backward(Tensor grad_output, Tensor self) -> Tensor", {
    infer: (args) => {
      const op = "adaptive_avg_pool2d_backward";
      const { self, grad_output } = args;
      checkImage(op, self, 2);
      return averageGradient(op, args, [...self.shape.slice(0, -2), ...grad_output.shape.slice(-2)]);
    },
  }),
];

/** Returns the gradient of an average over windows; the averages have `shape`. */
function averageGradient(
  op: string,
  { self, grad_output }: { readonly self: TensorMeta; readonly grad_output: TensorMeta },
  shape: readonly number[],
): TensorMeta {
  check(isFloat(self.dtype), () => `${op} not implemented for ${self.dtype}`);
  checkSameDtype(op, self, grad_output);
  check(
    show(shape) === show(grad_output.shape),
    () => `${op}: expected grad_output of shape ${show(shape)}, got ${show(grad_output.shape)}`,
  );
  return { dtype: self.dtype, shape: self.shape };
}

type Parts = readonly [() => TensorMeta, () => TensorMeta, () => TensorMeta];

/** Replaces gradients that `output_mask` does not select by empty tensors. */
function masked(b: Builder, mask: readonly boolean[], parts: Parts): readonly [TensorMeta, TensorMeta, TensorMeta] {
  const part = (i: 0 | 1 | 2): TensorMeta => (mask[i] ? parts[i]() : emit(b).full([0], 0, "float32"));
  return [part(0), part(1), part(2)];
}

/** Returns, for each index, how often it occurs. */
function frequency(b: Builder, index: TensorMeta, count: number): TensorMeta {
  const e = emit(b);
  const ones = e.full(index.shape, 1, "int64");
  const counts = b.tensor("aten::scatter_add", { self: e.full([count], 0, "int64"), dim: 0, index, src: ones });
  return b.tensor("aten::index_select", { self: counts, dim: 0, index });
}
