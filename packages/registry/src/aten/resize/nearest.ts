import type { DType } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { type Emit, emit } from "../support/emit.ts";
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

/**
 * Gathers along one dimension after the other; output i reads position `floor((i + shift) * input / output)`, rounded as in
 * PyTorch. An image that stays as small or doubles is copied whatever its scale factor is.
 */
function nearest(b: Builder, self: TensorMeta, { size, scales }: Target, shift: number): TensorMeta {
  const e = emit(b);
  resized(self, size);
  const isSmall = isSmallImage(size);
  return size.reduce((x, count, d) => {
    const length = x.shape[d + 2]!;
    const isCopied = isSmall && shift === 0 && (count === length || count === 2 * length);
    const scale = isCopied ? null : scales[d];
    if (count === length && (scale ?? 1) === 1) return x;
    const ratio = scale ? 1 / scale : length / count;
    const position = positionOf(e, count, ratio, shift, isSmall ? "float32" : self.dtype);
    const index = b.tensor("aten::clamp", { self: e.cast(e.floor(position), "int64"), min: 0, max: length - 1 });
    return b.tensor("aten::index_select", { self: x, dim: d + 2, index });
  }, self);
}

/** Returns whether PyTorch resizes to so many elements with a kernel of its own for small images. */
function isSmallImage(size: readonly number[]): boolean {
  return size.length === 2 && size[0]! + size[1]! <= 128;
}

function positionOf(e: Emit, count: number, ratio: number, shift: number, dtype: DType): TensorMeta {
  const by = { float: shift };
  const times = (type: DType, factor: number): TensorMeta => e.mul(e.add(e.arange(count, type), by), { float: factor });
  if (dtype !== "float64") return times("float32", Math.fround(ratio));
  // The positions of doubles are doubles, but rounded to single precision before their floor is taken.
  return e.cast(e.add(e.sub(times("float64", ratio), by), by), "float32");
}
