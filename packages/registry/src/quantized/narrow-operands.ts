import { check, show } from "../aten/support/check.ts";
import { numel } from "../aten/support/dims.ts";
import { emit } from "../aten/support/emit.ts";
import { defineOp, type OpRecord } from "../op.ts";
import type { OpSet } from "../op-set.ts";
import type { TensorMeta } from "../tensor-meta.ts";

/**
 * A linear layer whose weight is dequantized as it is read: `linear(input, (weight - zero_point) * scale, bias)`. `weight` is
 * int8 [N, K], in float32 where `scale` is absent; `scale` and `zero_point` have N·G elements, one for each row and group of K / G
 * columns. Rewrites put it in the place of a linear layer and the dequantization of its weight.
 */
const LINEAR_INT8: OpRecord = defineOp(
  "pt2::linear_int8(Tensor input, Tensor weight, Tensor? scale=None, Tensor? zero_point=None, Tensor? bias=None) -> Tensor",
  {
    decompose: ({ input, weight, scale, zero_point, bias }, b) => {
      const e = emit(b);
      const [N, K] = weight.shape as readonly [number, number];
      check(
        weight.shape.length === 2 && weight.dtype === "int8",
        () => `weight must be an int8 matrix, got ${show(weight.shape)}`,
      );
      const perGroup = (qparams: TensorMeta): TensorMeta => e.reshape(e.cast(qparams, "float32"), [N, -1, 1]);
      const groups = Math.max(
        1,
        ...[scale, zero_point].map((each) => (each === null ? 1 : numel(each.shape) / Math.max(N, 1))),
      );
      let floats = e.reshape(e.cast(weight, "float32"), [N, groups, K / groups]);
      if (zero_point !== null) floats = e.sub(floats, perGroup(zero_point));
      if (scale !== null) floats = e.mul(floats, perGroup(scale));
      return b.tensor("aten::linear", { input, weight: e.reshape(floats, [N, K]), bias });
    },
  },
);

/**
 * A linear layer in float32 whose weight, a matrix of float16 or bfloat16, is read as it is; with `round_input` the input may be
 * rounded to the weight's dtype before it is multiplied.
 */
const LINEAR_HALF: OpRecord = defineOp(
  "pt2::linear_half(Tensor input, Tensor weight, Tensor? bias=None, bool round_input=False) -> Tensor",
  {
    decompose: ({ input, weight, bias, round_input }, b) => {
      const e = emit(b);
      const isHalf = weight.dtype === "float16" || weight.dtype === "bfloat16";
      check(
        weight.shape.length === 2 && isHalf,
        () => `weight must be a matrix in half precision, got ${weight.dtype}${show(weight.shape)}`,
      );
      const rows = round_input ? e.cast(e.cast(input, weight.dtype), "float32") : input;
      return b.tensor("aten::linear", { input: rows, weight: e.cast(weight, "float32"), bias });
    },
  },
);

/** Attention in float32 to keys and values of float16 or bfloat16, which are read as they are. */
const ATTENTION_HALF: OpRecord = defineOp(
  "pt2::attention_half(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor",
  {
    decompose: ({ key, value, ...args }, b) => {
      const e = emit(b);
      const [k, v] = [key, value].map((half) => e.cast(half, "float32"));
      return b.tensor("aten::scaled_dot_product_attention", { ...args, key: k!, value: v!, dropout_p: 0 });
    },
  },
);

/** Ops of this project, which only rewrites emit. */
export const rewritten: OpSet = { name: "pt2", builtIn: true, ops: [LINEAR_INT8, LINEAR_HALF, ATTENTION_HALF] };
