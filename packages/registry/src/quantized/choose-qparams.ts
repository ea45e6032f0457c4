import type { DType } from "@pt2/format";
import { check } from "../aten/support/check.ts";
import { emit } from "../aten/support/emit.ts";
import type { Builder } from "../builder.ts";
import { defineOp, type OpRecord } from "../op.ts";
import type { TensorMeta } from "../tensor-meta.ts";
import { DECOMPOSED } from "./range.ts";
import { clamp, round } from "./steps.ts";

/**
 * Defines ops that compute scales and zero points from data: a dynamically quantized program does so before each
 * product.
 */
export const CHOOSE_QPARAMS_OPS: readonly OpRecord[] = [
  defineOp(
    "quantized_decomposed::choose_qparams.tensor(Tensor input, int quant_min, int quant_max, float eps, ScalarType dtype) -> (Tensor, Tensor)",
    {
      decompose: (args, b) => {
        const { quant_min, quant_max } = args;
        const e = emit(b);
        const { low, high, eps } = extremes(b, args);
        const scale = e.maximum(e.div(e.sub(high, low), { float: quant_max - quant_min }), eps);
        const zero = e.sub(e.full([1], quant_min, "int32"), e.cast(round(b, e.div(low, scale)), "int32"));
        return [e.cast(scale, "float64"), e.cast(clamp(b, zero, quant_min, quant_max), "int64")];
      },
    },
  ),
  defineOp(
    "quantized_decomposed::choose_qparams_symmetric.tensor(Tensor input, int quant_min, int quant_max, float eps, ScalarType dtype) -> (Tensor, Tensor)",
    {
      decompose: (args, b) => {
        const { quant_min, quant_max, dtype } = args;
        const e = emit(b);
        const { low, high, eps } = extremes(b, args);
        const largest = e.maximum(e.neg(low), high);
        const scale = e.maximum(e.div(largest, { float: (quant_max - quant_min) / 2 }), eps);
        return [e.cast(scale, "float64"), e.full([1], dtype === "uint8" ? 128 : 0, "int64")];
      },
    },
  ),
  defineOp("quantized_decomposed::choose_qparams_per_token(Tensor input, ScalarType dtype) -> (Tensor, Tensor)", {
    decompose: ({ input, dtype }, b) => {
      check(dtype === "int8", () => `unsupported dtype in choose_qparams_per_token: torch.${dtype}`);
      const e = emit(b);
      const largest = e.amax(e.abs(input), [-1], true);
      const wide = input.dtype === "float16" ? e.cast(largest, "float32") : largest;
      const scales = e.div(e.clampMin(wide, { float: 1e-5 }), 127);
      return [scales, e.full(scales.shape, 0, scales.dtype)];
    },
  }),
  ...["choose_qparams_per_token_asymmetric", "_choose_qparams_per_token_asymmetric_impl"].map((name) =>
    defineOp(`quantized_decomposed::${name}(Tensor input, ScalarType dtype) -> (Tensor, Tensor)`, {
      decompose: ({ input }: { readonly input: TensorMeta }, b: Builder) => perTokenAsymmetric(b, input),
    }),
  ),
];

interface Choice {
  readonly input: TensorMeta;
  readonly quant_min: number;
  readonly quant_max: number;
  readonly eps: number;
  readonly dtype: DType;
}

/**
 * Returns the minimum and maximum of the data, extended to include zero, in the dtype of the data; and the smallest
 * scale, in float32.
 */
function extremes(b: Builder, { input, quant_min, quant_max, eps, dtype }: Choice): Extremes {
  check(
    ["float32", "float16", "bfloat16"].includes(input.dtype),
    () => `Expecting input to have dtype torch.float32/16/b16, but got dtype: torch.${input.dtype}`,
  );
  check(DECOMPOSED.includes(dtype), () => `Expecting target dtype to be one of ${DECOMPOSED}, but got: torch.${dtype}`);
  check(quant_min <= 0 && quant_max >= 0, "Used-specified quantization range must include 0.");
  check(quant_min < quant_max, "qmin must be strictly less than qmax for user-specified quantization range.");
  const e = emit(b);
  const [least, most] = b.call("aten::aminmax", { self: input });
  return { ...withZero(b, least, most), eps: e.full([1], { float: eps }, "float32") };
}

interface Extremes {
  readonly low: TensorMeta;
  readonly high: TensorMeta;
  readonly eps: TensorMeta;
}

/** Extends a range to include zero. NaN stays NaN. */
export function withZero(b: Builder, least: TensorMeta, most: TensorMeta): Pick<Extremes, "low" | "high"> {
  const e = emit(b);
  const zero = e.full([], 0, least.dtype);
  return { low: e.minimum(least, zero), high: e.maximum(most, zero) };
}

/** Chooses as XNNPACK does: the zero point is derived from the end of the range that has the smaller error. */
function perTokenAsymmetric(b: Builder, input: TensorMeta): readonly [TensorMeta, TensorMeta] {
  const e = emit(b);
  const [min, max] = [-128, 127];
  const least = b.tensor("aten::amin", { self: input, dim: [-1], keepdim: true });
  const { low, high } = withZero(b, least, e.amax(input, [-1], true));
  const scale = e.clampMin(e.div(e.sub(high, low), { float: max - min }), { float: 2 ** -23 });
  const [lowest, highest] = [e.div(low, scale), e.div(high, scale)];
  const fromLow = e.gt(e.add(e.add(lowest, min), e.add(highest, max)), 0);
  const rsub = (x: TensorMeta, from: number): TensorMeta => b.tensor("aten::rsub.Scalar", { self: x, other: from });
  const zero = round(b, clamp(b, e.where(fromLow, rsub(lowest, min), rsub(highest, max)), min, max));
  return [e.cast(scale, "float64"), e.cast(zero, "int64")];
}
