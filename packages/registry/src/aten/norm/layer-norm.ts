import type { DType } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { numel, range, sameShape } from "../support/dims.ts";
import { checkFloating } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/** Defines layer, group and root-mean-square normalization. */
export const LAYER_NORM_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)",
    {
      requires: { same: ["input", "weight", "bias"], kinds: { input: "real" } },
      infer: ({ input, normalized_shape, weight, bias }) => {
        const { statistic } = checkLayer("layer_norm", input, normalized_shape, weight, bias);
        const part = { dtype: statisticType(input, weight), shape: statistic };
        return [{ dtype: input.dtype, shape: input.shape }, part, part];
      },
      decompose: ({ input, normalized_shape, weight, bias, eps }, b) => {
        const { dims } = checkLayer("layer_norm", input, normalized_shape, weight, bias);
        const { centered, mean, rstd } = moments(b, input, dims, eps);
        const e = emit(b);
        const parts = statisticType(input, weight);
        return [affine(b, e.mul(centered, rstd), weight, bias, input.dtype), e.cast(mean, parts), e.cast(rstd, parts)];
      },
    },
  ),
  defineOp(
    "aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1.0000000000000001e-05, bool cudnn_enable=True) -> Tensor",
    {
      decompose: ({ input, normalized_shape, weight, bias, eps }, b) =>
        b.call("aten::native_layer_norm", { input, normalized_shape, weight, bias, eps })[0],
    },
  ),
  defineOp(
    "aten::_fused_rms_norm(Tensor input, int[] normalized_shape, Tensor? weight, float? eps) -> (Tensor, Tensor)",
    {
      decompose: ({ input, normalized_shape, weight, eps }, b) => {
        const { dims } = checkLayer("rms_norm", input, normalized_shape, weight, null);
        const e = emit(b);
        const x = e.wide(input);
        const epsilon = eps ?? (x.dtype === "float64" ? Number.EPSILON : 2 ** -23);
        const rstd = e.rsqrt(e.add(e.mean(e.mul(x, x), dims, true), { float: epsilon }));
        return [affine(b, e.mul(x, rstd), weight, null, input.dtype), rstd];
      },
    },
  ),
  defineOp("aten::rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor", {
    decompose: (args, b) => b.call("aten::_fused_rms_norm", args)[0],
  }),
  defineOp(
    "aten::native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int group, float eps) -> (Tensor, Tensor, Tensor)",
    {
      requires: { same: ["input", "weight", "bias"], kinds: { input: "real" } },
      infer: ({ input, weight, bias, N, C, HxW, group }) => {
        checkGroups(input, weight, bias, [N, C, HxW], group);
        const part = { dtype: statisticType(input, weight), shape: [N, group] };
        return [{ dtype: input.dtype, shape: input.shape }, part, part];
      },
      decompose: ({ input, weight, bias, N, C, HxW, group, eps }, b) => {
        checkGroups(input, weight, bias, [N, C, HxW], group);
        const e = emit(b);
        const { centered, mean, rstd } = moments(b, e.reshape(input, [N, group, (C / group) * HxW]), [2], eps);
        const channel = (x: TensorMeta | null): TensorMeta | null => x && e.reshape(x, [C, 1]);
        const result = affine(
          b,
          e.reshape(e.mul(centered, rstd), [N, C, HxW]),
          channel(weight),
          channel(bias),
          input.dtype,
        );
        const part = (x: TensorMeta): TensorMeta => e.cast(e.reshape(x, [N, group]), statisticType(input, weight));
        return [e.reshape(result, input.shape), part(mean), part(rstd)];
      },
    },
  ),
  defineOp(
    "aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1.0000000000000001e-05, bool cudnn_enabled=True) -> Tensor",
    {
      decompose: ({ input, num_groups: group, weight, bias, eps }, b) => {
        check(
          input.shape.length >= 2,
          () => `Expected at least 2 dimensions for input tensor but received ${input.shape.length}`,
        );
        const [N, C] = input.shape as readonly [number, number];
        const args = { input, weight, bias, N, C, HxW: numel(input.shape.slice(2)), group, eps };
        return b.call("aten::native_group_norm", args)[0];
      },
    },
  ),
];

/** Computes mean and reciprocal standard deviation over `dims`, and keeps these dimensions. */
function moments(
  b: Builder,
  input: TensorMeta,
  dims: readonly number[],
  eps: number,
): { readonly centered: TensorMeta; readonly mean: TensorMeta; readonly rstd: TensorMeta } {
  const e = emit(b);
  const x = e.wide(input);
  const mean = e.mean(x, dims, true);
  const centered = e.sub(x, mean);
  return { centered, mean, rstd: e.rsqrt(e.add(e.mean(e.mul(centered, centered), dims, true), { float: eps })) };
}

function affine(
  b: Builder,
  x: TensorMeta,
  weight: TensorMeta | null,
  bias: TensorMeta | null,
  dtype: DType,
): TensorMeta {
  const e = emit(b);
  const scaled = weight === null ? x : e.mul(x, weight);
  return e.cast(bias === null ? scaled : e.add(scaled, bias), dtype);
}

/** Returns the dtype of the statistics: float32 for half-precision inputs with float32 parameters. */
function statisticType(input: TensorMeta, weight: TensorMeta | null): DType {
  return weight === null ? input.dtype : weight.dtype;
}

function checkLayer(
  op: string,
  input: TensorMeta,
  normalized: readonly number[],
  weight: TensorMeta | null,
  bias: TensorMeta | null,
): { readonly dims: readonly number[]; readonly statistic: readonly number[] } {
  checkFloating(op, input);
  const lead = input.shape.length - normalized.length;
  check(normalized.length >= 1, "Expected normalized_shape to be at least 1-dimensional");
  check(
    lead >= 0 && sameShape(input.shape.slice(lead), normalized),
    () =>
      `Given normalized_shape=${show(normalized)}, expected input with shape [*, ${normalized.join(", ")}], but got input of size ${show(input.shape)}`,
  );
  for (const parameter of [weight, bias]) {
    check(
      parameter === null || sameShape(parameter.shape, normalized),
      () =>
        `Expected weight and bias to be of same shape as normalized_shape ${show(normalized)}, but got ${show(parameter!.shape)}`,
    );
  }
  return {
    dims: range(input.shape.length).slice(lead),
    statistic: [...input.shape.slice(0, lead), ...normalized.map(() => 1)],
  };
}

function checkGroups(
  input: TensorMeta,
  weight: TensorMeta | null,
  bias: TensorMeta | null,
  [n, c, size]: readonly [number, number, number],
  group: number,
): void {
  checkFloating("group_norm", input);
  check(
    numel(input.shape) === n * c * size,
    () => `Expected input of ${n * c * size} elements, got ${show(input.shape)}`,
  );
  check(
    group > 0 && c % group === 0,
    () =>
      `Expected number of channels in input to be divisible by num_groups, but got input of shape ${show(input.shape)} and num_groups=${group}`,
  );
  for (const parameter of [weight, bias]) {
    check(
      parameter === null || sameShape(parameter.shape, [c]),
      () =>
        `Expected weight and bias to be vectors of size equal to the number of channels, but got ${show(parameter!.shape)} and input of shape ${show(input.shape)}`,
    );
  }
}
