import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { emit, type Operand } from "../support/emit.ts";
import { requireData } from "../support/require-data.ts";
import { LEARNABLE_FAKE_QUANTIZE_OPS } from "./learnable-fake-quantize.ts";

/**
 * The grid that floats are rounded to: steps of `scale`, with zero at `zero_point`, from `quant_min` to `quant_max`.
 */
interface Grid {
  readonly self: TensorMeta;
  readonly scale: Operand;
  readonly zero_point: Operand;
  readonly quant_min: number;
  readonly quant_max: number;
}

interface PerTensor extends Omit<Grid, "scale" | "zero_point"> {
  readonly scale: number;
  readonly zero_point: number;
}

interface PerChannel extends Grid {
  readonly scale: TensorMeta;
  readonly zero_point: TensorMeta;
  readonly axis: number;
}

/** Defines fake quantization: the results are floats that a quantized dtype can represent. */
export const FAKE_QUANTIZE_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> Tensor",
    { decompose: (args, b) => fakeQuantize(b, perTensor(args))[0] },
  ),
  defineOp(
    "aten::fake_quantize_per_tensor_affine.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max) -> Tensor",
    { decompose: (args, b) => fakeQuantize(b, args)[0] },
  ),
  defineOp(
    "aten::fake_quantize_per_tensor_affine_cachemask(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> (Tensor output, Tensor mask)",
    { decompose: (args, b) => fakeQuantize(b, perTensor(args)) },
  ),
  defineOp(
    "aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, Tensor fake_quant_enabled, int quant_min, int quant_max) -> (Tensor output, Tensor mask)",
    {
      decompose: (args, b) => {
        const e = emit(b);
        const [output, mask] = fakeQuantize(b, args);
        const off = e.eq(args.fake_quant_enabled, 0);
        return [e.where(off, args.self, output), b.tensor("aten::logical_or", { self: off, other: mask })];
      },
    },
  ),
  defineOp(
    "aten::fake_quantize_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> Tensor",
    {
      requires: { kinds: { scale: "float" }, ranks: { scale: [1], zero_point: [1] } },
      decompose: (args, b) => fakeQuantize(b, perChannel(b, args))[0],
    },
  ),
  defineOp(
    "aten::fake_quantize_per_channel_affine_cachemask(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> (Tensor output, Tensor mask)",
    {
      requires: { kinds: { scale: "float" }, ranks: { scale: [1], zero_point: [1] } },
      decompose: (args, b) => fakeQuantize(b, perChannel(b, args)),
    },
  ),
  ...LEARNABLE_FAKE_QUANTIZE_OPS,
];

function perTensor(args: PerTensor): Grid {
  const { zero_point, quant_min, quant_max } = args;
  check(
    Number(zero_point) >= quant_min && Number(zero_point) <= quant_max,
    "`zero_point` must be between `quant_min` and `quant_max`.",
  );
  return { ...args, scale: { float: args.scale } };
}

function perChannel(b: Builder, args: PerChannel): Grid {
  const e = emit(b);
  const { axis } = args;
  check(axis >= 0 && axis < args.self.shape.length, "`axis` must be between 0 and number of dimensions of input");
  const {
    scale: { dtype },
    zero_point: { dtype: zero },
  } = args;
  check(dtype === "float32" || dtype === "bfloat16", () => `Scale must be float32 or bfloat16, found ${dtype}`);
  check(
    ["int32", "float32", "float16"].includes(zero),
    () => `Zero-point must be int32, float32 or float16, found ${zero}`,
  );
  const shape = args.self.shape.map((size, d) => (d === axis ? size : 1));
  const { zero_point, quant_min, quant_max } = args;
  const within = b.tensor("aten::logical_and", {
    self: e.ge(zero_point, quant_min),
    other: e.le(zero_point, quant_max),
  });
  requireData(b, within, "`zero_point` must be between `quant_min` and `quant_max`.");
  return { ...args, scale: e.reshape(args.scale, shape), zero_point: e.reshape(args.zero_point, shape) };
}

/**
 * Returns the rounded values, and a mask of those inside the grid. PyTorch multiplies by the reciprocal of the scale, float16
 * and bfloat16 in float32.
 */
function fakeQuantize(b: Builder, grid: Grid): readonly [TensorMeta, TensorMeta] {
  const { self, scale, zero_point, quant_min, quant_max } = grid;
  check(quant_min <= quant_max, "`quant_min` should be less than or equal to `quant_max`.");
  const e = emit(b);
  const one = e.full([], { float: 1 }, "float32");
  const isHalf = self.dtype === "float16" || self.dtype === "bfloat16";
  const wide = isHalf ? e.cast(self, "float32") : self;
  const rounded = b.tensor("aten::round", { self: e.mul(wide, e.div(one, scale)) });
  const level = e.add(rounded, zero_point);
  const kept = b.tensor("aten::clamp", { self: level, min: quant_min, max: quant_max });
  const inside = b.tensor("aten::logical_and", { self: e.ge(level, quant_min), other: e.le(level, quant_max) });
  return [e.cast(e.mul(e.sub(kept, zero_point), scale), self.dtype), inside];
}
