import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { numel } from "../support/dims.ts";
import { emit } from "../support/emit.ts";

const FUNCTIONAL = "aten::_fused_moving_avg_obs_fq_helper_functional";

/**
 * Defines fake quantization that observes the range of what it quantizes, as models have it that are prepared for training
 * with quantization. Those that write are made functional.
 */
export const OBSERVED_FAKE_QUANTIZE_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::fused_moving_avg_obs_fake_quant(Tensor self, Tensor observer_on, Tensor fake_quant_on, Tensor(a!) running_min, Tensor(b!) running_max, Tensor(c!) scale, Tensor(d!) zero_point, float averaging_const, int quant_min, int quant_max, int ch_axis, bool per_row_fake_quant=False, bool symmetric_quant=False) -> Tensor",
    { decompose: (args, b) => b.call(FUNCTIONAL, args)[0] },
  ),
  defineOp(
    "aten::_fused_moving_avg_obs_fq_helper(Tensor self, Tensor observer_on, Tensor fake_quant_on, Tensor(a!) running_min, Tensor(b!) running_max, Tensor(c!) scale, Tensor(d!) zero_point, float averaging_const, int quant_min, int quant_max, int ch_axis, bool per_row_fake_quant=False, bool symmetric_quant=False) -> (Tensor output, Tensor mask)",
    {
      decompose(args, b) {
        const [output, mask] = b.call(FUNCTIONAL, args);
        return [output, mask];
      },
    },
  ),
  defineOp(
    "aten::_fused_moving_avg_obs_fq_helper_functional(Tensor self, Tensor observer_on, Tensor fake_quant_on, Tensor running_min, Tensor running_max, Tensor scale, Tensor zero_point, float averaging_const, int quant_min, int quant_max, int ch_axis, bool per_row_fake_quant=False, bool symmetric_quant=False) -> (Tensor output, Tensor mask, Tensor running_min_out, Tensor running_max_out, Tensor scale_out, Tensor zero_point_out)",
    {
      decompose(args, b) {
        const e = emit(b);
        const { self, quant_min, quant_max, fake_quant_on } = args;
        const isTrue = (flag: TensorMeta): TensorMeta => e.ne(e.reshape(flag, []), 0);
        const [observes, quantizes] = [isTrue(args.observer_on), isTrue(fake_quant_on)];
        const next = (condition: TensorMeta, now: TensorMeta, then: TensorMeta): TensorMeta =>
          e.where(condition, e.cast(e.reshape(then, now.shape), now.dtype), now);
        const [least, most] = extremes(b, args);
        const low = next(observes, args.running_min, movedTo(b, args.running_min, least, args));
        const high = next(observes, args.running_max, movedTo(b, args.running_max, most, args));
        const chosen = chosenFor(b, { ...args, low, high });
        const scale = next(quantizes, args.scale, chosen.scale);
        const zero = next(quantizes, args.zero_point, chosen.zero);
        const state = [low, high, scale, zero] as const;
        const range = { self, scale, quant_min, quant_max };
        if (!args.per_row_fake_quant) {
          const given = { ...range, zero_point: zero, fake_quant_enabled: fake_quant_on };
          const [output, mask] = b.call("aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams", given);
          return [output, mask, ...state];
        }
        const given = { ...range, zero_point: zero, axis: args.ch_axis };
        const [output, mask] = b.call("aten::fake_quantize_per_channel_affine_cachemask", given);
        const isOff = b.tensor("aten::logical_not", { self: quantizes });
        return [e.where(isOff, self, output), b.tensor("aten::logical_or", { self: isOff, other: mask }), ...state];
      },
    },
  ),
];

interface Observed {
  readonly self: TensorMeta;
  readonly running_min: TensorMeta;
  readonly averaging_const: number;
  readonly ch_axis: number;
  readonly per_row_fake_quant: boolean;
}

/** The least and the greatest number, of each channel where these are quantized apart. */
function extremes(
  b: Builder,
  { self, running_min, ch_axis, per_row_fake_quant }: Observed,
): readonly [TensorMeta, TensorMeta] {
  const count = per_row_fake_quant ? (self.shape[ch_axis] ?? 0) : 1;
  check(!per_row_fake_quant || ch_axis === 0, "Per-channel FakeQuant is only supported on axis == 0");
  check(
    numel(running_min.shape) === count,
    () =>
      `the observer has ${numel(running_min.shape)} ranges for ${count} channels: run the model once before exporting it`,
  );
  const dim = self.shape.map((_, d) => d).slice(per_row_fake_quant ? 1 : 0);
  return [b.tensor("aten::amin", { self, dim }), b.tensor("aten::amax", { self, dim })];
}

/** Moves an end of a range towards what is seen; at first it is that. */
function movedTo(b: Builder, running: TensorMeta, seen: TensorMeta, { averaging_const }: Observed): TensorMeta {
  const e = emit(b);
  const now = e.reshape(seen, running.shape);
  const step = e.mul(e.sub(now, running), { float: averaging_const });
  return e.where(b.tensor("aten::isinf", { self: running }), now, e.add(running, step));
}

interface Range {
  readonly low: TensorMeta;
  readonly high: TensorMeta;
  readonly quant_min: number;
  readonly quant_max: number;
  readonly symmetric_quant: boolean;
}

/** Scales below this one are not used: it is a float32. */
const SMALLEST = Math.fround(6.1e-5);

/** Chooses scale and zero point for a range: quotients are computed in double precision. */
function chosenFor(b: Builder, range: Range): { readonly scale: TensorMeta; readonly zero: TensorMeta } {
  const e = emit(b);
  const { quant_min: least, quant_max: most } = range;
  const steps = most - least;
  const { around, low, high } = withZero(b, range);
  const wide = (x: TensorMeta): TensorMeta => e.cast(x, "float64");
  const single = e.cast(e.div(e.sub(wide(high), wide(low)), { float: steps }), "float32");
  const lost = b.tensor("aten::isinf", { self: b.tensor("aten::reciprocal", { self: single }) });
  const scaled = e.where(lost, { float: 0.1 }, single);
  const isSmall = e.lt(scaled, { float: SMALLEST });
  const scale = e.where(isSmall, { float: SMALLEST }, scaled);
  const amplifier = e.div({ float: SMALLEST }, scaled);
  const end = (x: TensorMeta, other: TensorMeta, sign: number): TensorMeta => {
    const alone = e.where(e.eq(other, 0), { float: Math.fround(sign * SMALLEST * steps) }, e.mul(x, amplifier));
    return wide(e.where(isSmall, e.where(e.eq(x, 0), x, alone), x));
  };
  const [from, to] = [e.div(end(low, high, -1), wide(scale)), e.div(end(high, low, 1), wide(scale))];
  const error = (bound: number, x: TensorMeta): TensorMeta => e.add(e.abs(x), { float: Math.abs(bound) });
  const zeroOf = (bound: number, x: TensorMeta): TensorMeta => e.sub({ float: bound }, x);
  const isFrom = e.lt(error(least, from), error(most, to));
  const nearest = e.where(isFrom, zeroOf(least, from), zeroOf(most, to));
  const zero = around === null ? nearest : e.where(around, { float: (least + most) / 2 }, nearest);
  const rounded = b.tensor("aten::round", { self: zero });
  return {
    scale,
    zero: b.tensor("aten::clamp", { self: rounded, min: { float: least }, max: { float: most } }),
  };
}

/** A range with zero in it; a symmetric one where zero is inside it, and symmetry is asked for. */
function withZero(
  b: Builder,
  { low, high, quant_min, quant_max, symmetric_quant }: Range,
): { readonly around: TensorMeta | null; readonly low: TensorMeta; readonly high: TensorMeta } {
  const e = emit(b);
  const zero = e.full([], { float: 0 }, low.dtype);
  const [from, to] = [e.minimum(low, zero), e.maximum(high, zero)];
  if (!symmetric_quant) return { around: null, low: from, high: to };
  const half = Math.trunc((quant_max - quant_min) / 2);
  const around = b.tensor("aten::logical_and", { self: e.lt(low, 0), other: e.gt(high, 0) });
  const widest = e.maximum(e.abs(e.div(low, { float: -(half + 1) })), e.abs(e.div(high, { float: half })));
  const bound = (factor: number): TensorMeta => e.cast(e.mul(e.cast(widest, "float64"), { float: factor }), "float32");
  return { around, low: e.where(around, bound(-(half + 1)), from), high: e.where(around, bound(half), to) };
}
