import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { emit } from "../support/emit.ts";
import { resized, type Target, targetOf } from "./output-size.ts";

/** Defines nearest-neighbor resizing, with the rounding of `nearest` and of `nearest-exact`. */
export const NEAREST_OPS: readonly OpRecord[] = [
  defineOp("aten::upsample_nearest1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor", {
    infer: ({ self, output_size }) => resized(self, output_size),
    decompose: ({ self, output_size: size, scales }, b) => nearest(b, self, { size, scales: [scales] }, 0),
  }),
  defineOp(
    "aten::upsample_nearest2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor",
    {
      infer: ({ self, output_size }) => resized(self, output_size),
      decompose: ({ self, output_size: size, scales_h, scales_w }, b) =>
        nearest(b, self, { size, scales: [scales_h, scales_w] }, 0),
    },
  ),
  defineOp(
    "aten::upsample_nearest3d(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
    {
      infer: ({ self, output_size }) => resized(self, output_size),
      decompose: ({ self, output_size: size, scales_d, scales_h, scales_w }, b) =>
        nearest(b, self, { size, scales: [scales_d, scales_h, scales_w] }, 0),
    },
  ),
  defineOp("aten::_upsample_nearest_exact1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor", {
    infer: ({ self, output_size }) => resized(self, output_size),
    decompose: ({ self, output_size: size, scales }, b) => nearest(b, self, { size, scales: [scales] }, 0.5),
  }),
  defineOp(
    "aten::_upsample_nearest_exact2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor",
    {
      infer: ({ self, output_size }) => resized(self, output_size),
      decompose: ({ self, output_size: size, scales_h, scales_w }, b) =>
        nearest(b, self, { size, scales: [scales_h, scales_w] }, 0.5),
    },
  ),
  defineOp(
    "aten::_upsample_nearest_exact3d(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
    {
      infer: ({ self, output_size }) => resized(self, output_size),
      decompose: ({ self, output_size: size, scales_d, scales_h, scales_w }, b) =>
        nearest(b, self, { size, scales: [scales_d, scales_h, scales_w] }, 0.5),
    },
  ),
  defineOp("aten::upsample_nearest1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", {
    decompose: (args, b) => vec(b, "upsample_nearest1d", args, ["scales"]),
  }),
  defineOp("aten::upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", {
    decompose: (args, b) => vec(b, "upsample_nearest2d", args, ["scales_h", "scales_w"]),
  }),
  defineOp("aten::upsample_nearest3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", {
    decompose: (args, b) => vec(b, "upsample_nearest3d", args, ["scales_d", "scales_h", "scales_w"]),
  }),
  defineOp(
    "aten::_upsample_nearest_exact1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
    { decompose: (args, b) => vec(b, "_upsample_nearest_exact1d", args, ["scales"]) },
  ),
  defineOp(
    "aten::_upsample_nearest_exact2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
    {
      decompose: (args, b) => vec(b, "_upsample_nearest_exact2d", args, ["scales_h", "scales_w"]),
    },
  ),
  defineOp(
    "aten::_upsample_nearest_exact3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
    {
      decompose: (args, b) => vec(b, "_upsample_nearest_exact3d", args, ["scales_d", "scales_h", "scales_w"]),
    },
  ),
];

type Resampling =
  | "upsample_nearest1d"
  | "upsample_nearest2d"
  | "upsample_nearest3d"
  | "_upsample_nearest_exact1d"
  | "_upsample_nearest_exact2d"
  | "_upsample_nearest_exact3d";

interface Vec {
  readonly input: TensorMeta;
  readonly output_size: readonly number[] | null;
  readonly scale_factors: readonly number[] | null;
}

function vec(
  b: Builder,
  op: Resampling,
  { input, output_size, scale_factors }: Vec,
  names: readonly string[],
): TensorMeta {
  const { size, scales } = targetOf(input, output_size, scale_factors, names.length);
  const factors = Object.fromEntries(names.map((name, d) => [name, scales[d] ?? null]));
  return b.tensor(`aten::${op}`, { self: input, output_size: size, ...factors });
}

/** Gathers along one dimension after the other; output i reads position `floor((i + shift) * input / output)`. */
function nearest(b: Builder, self: TensorMeta, { size, scales }: Target, shift: number): TensorMeta {
  const e = emit(b);
  resized(self, size);
  return size.reduce((x, count, d) => {
    const length = x.shape[d + 2]!;
    if (count === length && (scales[d] ?? 1) === 1) return x;
    const factor = scales[d] ? 1 / scales[d] : length / count;
    const position = e.floor(e.mul(e.add(e.arange(count, "float32"), { float: shift }), { float: factor }));
    const index = b.tensor("aten::clamp", { self: e.cast(position, "int64"), min: 0, max: length - 1 });
    return b.tensor("aten::index_select", { self: x, dim: d + 2, index });
  }, self);
}
