import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { checkFloating } from "../support/dtypes.ts";
import { interpolate, type Kernel } from "./interpolate.ts";
import { resized, targetOf } from "./output-size.ts";

/** Defines linear and cubic resizing, plain and antialiased, and that by Lanczos' kernel. */
export const LINEAR_RESIZE_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::upsample_linear1d(Tensor self, SymInt[1] output_size, bool align_corners, float? scales=None) -> Tensor",
    {
      infer: ({ self, output_size }) => resampled(self, output_size),
      decompose: ({ self, output_size, align_corners, scales }, b) =>
        resample(b, "linear", self, output_size, align_corners, [scales]),
    },
  ),
  defineOp(
    "aten::upsample_bilinear2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
    {
      infer: ({ self, output_size }) => resampled(self, output_size),
      decompose: ({ self, output_size, align_corners, scales_h, scales_w }, b) =>
        resample(b, "linear", self, output_size, align_corners, [scales_h, scales_w]),
    },
  ),
  defineOp(
    "aten::upsample_trilinear3d(Tensor self, SymInt[3] output_size, bool align_corners, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
    {
      infer: ({ self, output_size }) => resampled(self, output_size),
      decompose: ({ self, output_size, align_corners, scales_d, scales_h, scales_w }, b) =>
        resample(b, "linear", self, output_size, align_corners, [scales_d, scales_h, scales_w]),
    },
  ),
  defineOp(
    "aten::upsample_bicubic2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
    {
      infer: ({ self, output_size }) => resampled(self, output_size),
      decompose: ({ self, output_size, align_corners, scales_h, scales_w }, b) =>
        resample(b, "cubic", self, output_size, align_corners, [scales_h, scales_w]),
    },
  ),
  defineOp(
    "aten::_upsample_bilinear2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
    {
      infer: ({ self, output_size }) => resampled(self, output_size),
      decompose: ({ self, output_size, align_corners, scales_h, scales_w }, b) =>
        resample(b, "linear-aa", self, output_size, align_corners, [scales_h, scales_w]),
    },
  ),
  defineOp(
    "aten::_upsample_bicubic2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
    {
      infer: ({ self, output_size }) => resampled(self, output_size),
      decompose: ({ self, output_size, align_corners, scales_h, scales_w }, b) =>
        resample(b, "cubic-aa", self, output_size, align_corners, [scales_h, scales_w]),
    },
  ),
  defineOp(
    "aten::_upsample_lanczos2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
    {
      infer: ({ self, output_size }) => resampled(self, output_size),
      decompose: ({ self, output_size, align_corners, scales_h, scales_w }, b) =>
        resample(b, "lanczos-aa", self, output_size, align_corners, [scales_h, scales_w]),
    },
  ),
  defineOp(
    "aten::upsample_linear1d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
    { decompose: (args, b) => vec(b, "upsample_linear1d", args, ["scales"]) },
  ),
  defineOp(
    "aten::upsample_bilinear2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
    { decompose: (args, b) => vec(b, "upsample_bilinear2d", args, ["scales_h", "scales_w"]) },
  ),
  defineOp(
    "aten::upsample_trilinear3d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
    { decompose: (args, b) => vec(b, "upsample_trilinear3d", args, ["scales_d", "scales_h", "scales_w"]) },
  ),
  defineOp(
    "aten::upsample_bicubic2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
    { decompose: (args, b) => vec(b, "upsample_bicubic2d", args, ["scales_h", "scales_w"]) },
  ),
  defineOp(
    "aten::_upsample_bilinear2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
    { decompose: (args, b) => vec(b, "_upsample_bilinear2d_aa", args, ["scales_h", "scales_w"]) },
  ),
  defineOp(
    "aten::_upsample_bicubic2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
    { decompose: (args, b) => vec(b, "_upsample_bicubic2d_aa", args, ["scales_h", "scales_w"]) },
  ),
  defineOp(
    "aten::_upsample_lanczos2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
    { decompose: (args, b) => vec(b, "_upsample_lanczos2d_aa", args, ["scales_h", "scales_w"]) },
  ),
];

type Resampling =
  | "upsample_linear1d"
  | "upsample_bilinear2d"
  | "upsample_trilinear3d"
  | "upsample_bicubic2d"
  | "_upsample_bilinear2d_aa"
  | "_upsample_bicubic2d_aa"
  | "_upsample_lanczos2d_aa";

interface Vec {
  readonly input: TensorMeta;
  readonly output_size: readonly number[] | null;
  readonly align_corners: boolean;
  readonly scale_factors: readonly number[] | null;
}

function vec(
  b: Builder,
  op: Resampling,
  { input, output_size, align_corners, scale_factors }: Vec,
  names: readonly string[],
): TensorMeta {
  const { size, scales } = targetOf(input, output_size, scale_factors, names.length);
  const factors = Object.fromEntries(names.map((name, d) => [name, scales[d] ?? null]));
  return b.tensor(`aten::${op}`, { self: input, output_size: size, align_corners, ...factors });
}

function resample(
  b: Builder,
  kernel: Kernel,
  self: TensorMeta,
  size: readonly number[],
  alignCorners: boolean,
  scales: readonly (number | null)[],
): TensorMeta | null {
  resampled(self, size);
  if (self.dtype === "uint8") return null;
  return interpolate(b, self, { kernel, size, alignCorners, scales });
}

/** Infers the result; apart from floats only uint8 can be resampled. */
function resampled(self: TensorMeta, size: readonly number[]): TensorMeta {
  if (self.dtype !== "uint8") checkFloating("upsample", self);
  return resized(self, size);
}
