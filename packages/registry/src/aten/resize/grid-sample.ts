import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { numel, range } from "../support/dims.ts";
import { checkSameDtype } from "../support/dtypes.ts";
import { type Emit, emit } from "../support/emit.ts";
import { isInside, padCoordinate, taps, unnormalize } from "./grid-coordinates.ts";

/** Defines ops that read an image at fractional positions. */
export const GRID_SAMPLE_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
    {
      decompose: ({ input, ...args }, b) =>
        b.tensor(input.shape.length === 5 ? "aten::grid_sampler_3d" : "aten::grid_sampler_2d", { input, ...args }),
    },
  ),
  defineOp(
    "aten::grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
    {
      infer: (args) => sampled(args, 2),
      decompose: (args, b) => sample(b, args),
    },
  ),
  defineOp(
    "aten::grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
    {
      infer: (args) => sampled(args, 3),
      decompose: (args, b) => sample(b, args),
    },
  ),
  defineOp("aten::affine_grid_generator(Tensor theta, SymInt[] size, bool align_corners) -> Tensor", {
    decompose: ({ theta, size, align_corners }, b) => {
      const e = emit(b);
      const spatial = size.slice(2);
      const rank = spatial.length;
      check(
        theta.shape.length === 3 && theta.shape[1] === rank && theta.shape[2] === rank + 1,
        () =>
          `Expected a batch of ${rank}x${rank + 1} affine matrices of shape [N, ${rank}, ${rank + 1}], but got ${show(theta.shape)}`,
      );
      check(
        size.every((n) => n >= 0),
        () => `Trying to create tensor with negative dimension: ${show(size)}`,
      );
      const rows = gridPoints(b, theta, spatial, align_corners);
      const grid = b.tensor("aten::matmul", { self: rows, other: e.transpose(theta, 1, 2) });
      return e.reshape(grid, [size[0]!, ...spatial, rank]);
    },
  }),
  defineOp("aten::affine_grid_generator_backward(Tensor grad, SymInt[] size, bool align_corners) -> Tensor", {
    decompose: ({ grad, size, align_corners }, b) => {
      const e = emit(b);
      const spatial = size.slice(2);
      const rows = gridPoints(b, grad, spatial, align_corners);
      const flat = e.reshape(grad, [size[0]!, rows.shape[0]!, spatial.length]);
      return b.tensor("aten::matmul", { self: e.transpose(flat, 1, 2), other: rows });
    },
  }),
];

interface Sample {
  readonly input: TensorMeta;
  readonly grid: TensorMeta;
  /** 0 is linear, 1 is nearest, 2 is cubic. */
  readonly interpolation_mode: number;
  /** 0 is zeros, 1 is border, 2 is reflection. */
  readonly padding_mode: number;
  readonly align_corners: boolean;
}

/** The result of sampling an input of so many spatial dimensions. */
export function sampled(
  { input, grid, interpolation_mode: mode }: Pick<Sample, "input" | "grid" | "interpolation_mode">,
  spatial: number,
): TensorMeta {
  check(mode !== 2 || spatial === 2, "grid_sampler(): bicubic interpolation only supports 4D input");
  checkSameDtype("grid_sampler()", input, grid);
  check(
    input.shape.length === spatial + 2 && grid.shape.length === spatial + 2 && input.shape[0] === grid.shape[0],
    () =>
      `grid_sampler(): expected grid and input to have same batch size and ${spatial + 2} dimensions, but got input with sizes ${show(input.shape)} and grid with sizes ${show(grid.shape)}`,
  );
  check(
    grid.shape.at(-1) === spatial,
    () =>
      `grid_sampler(): expected grid to have size ${spatial} in last dimension, but got grid with sizes ${show(grid.shape)}`,
  );
  check(
    input.shape.slice(2).every((n) => n > 0),
    () =>
      `grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes ${show(input.shape)}`,
  );
  return { dtype: input.dtype, shape: [...input.shape.slice(0, 2), ...grid.shape.slice(1, -1)] };
}

/**
 * Sums the neighbors, each of which is a gather over the flattened image, weighted per output position. What is read beyond
 * the image counts as 0, of volumes with any weight.
 */
function sample(b: Builder, args: Sample): TensorMeta {
  const { input, grid } = args;
  const e = emit(b);
  const spatial = input.shape.slice(2);
  const result = sampled(args, spatial.length);
  const [batch, channels] = input.shape as readonly [number, number];
  const places = numel(grid.shape.slice(1, -1));
  const axes = spatial.map((size, d) => {
    const raw = e.reshape(e.select(grid, grid.shape.length - 1, spatial.length - 1 - d), [batch, places]);
    return neighbors(b, args, raw, size);
  });
  const flat = e.reshape(input, [batch, channels, numel(spatial)]);
  const both = (
    x: TensorMeta | null,
    y: TensorMeta | null,
    join: (x: TensorMeta, y: TensorMeta) => TensorMeta,
  ): TensorMeta | null => (x === null || y === null ? (x ?? y) : join(x, y));
  const corners = axes.reduce((found, axis, d) =>
    found.flatMap((corner) =>
      axis.map(({ index, weight, exists }) => ({
        index: e.add(e.mul(corner.index, spatial[d]!), index),
        weight: both(corner.weight, weight, e.mul),
        exists: both(corner.exists, exists, (self, other) => b.tensor("aten::logical_and", { self, other })),
      })),
    ),
  );
  const parts = corners.map(({ index, weight, exists }) => {
    const at = e.expand(e.unsqueeze(index, 1), [batch, channels, places]);
    const found = b.tensor("aten::gather", { self: flat, dim: 2, index: at });
    const orZero = (x: TensorMeta): TensorMeta => (exists === null ? x : e.where(e.unsqueeze(exists, 1), x, 0));
    const weighted = (x: TensorMeta): TensorMeta => (weight === null ? x : e.mul(x, e.unsqueeze(weight, 1)));
    return spatial.length === 2 ? weighted(orZero(found)) : orZero(weighted(found));
  });
  return e.reshape(
    parts.reduce((sum, part) => e.add(sum, part)),
    result.shape,
  );
}

/** A neighbor along one dimension, or a corner of several of them. */
interface Neighbor {
  readonly index: TensorMeta;
  /** Null if it is 1. */
  readonly weight: TensorMeta | null;
  /** Whether it is in the image; null if it always is. */
  readonly exists: TensorMeta | null;
}

function neighbors(
  b: Builder,
  { grid, interpolation_mode: mode, padding_mode: padding, align_corners: align }: Sample,
  raw: TensorMeta,
  size: number,
): readonly Neighbor[] {
  const e = emit(b);
  const isVolume = grid.shape.length === 5;
  /** PyTorch's ways of limiting positions make the first one of NaN, or in volumes the last one. */
  const padded = (x: TensorMeta): TensorMeta => {
    const limited = padCoordinate(b, x, size, padding, align);
    if (padding === 0) return limited;
    return e.where(b.tensor("aten::isnan", { self: limited }), { float: isVolume ? size - 1 : 0 }, limited);
  };
  const center = unnormalize(e, raw, size, align);
  return taps(b, mode, mode === 2 ? center : padded(center)).map(({ place, weight }, i) => {
    const at = mode === 2 ? padded(place) : place;
    const isLimited = padding !== 0 && (mode !== 0 || i === 0);
    return {
      index: clamped(b, at, size),
      weight: mode === 1 ? null : weight,
      exists: isLimited ? null : isInside(b, at, size),
    };
  });
}

function clamped(b: Builder, place: TensorMeta, size: number): TensorMeta {
  return b.tensor("aten::clamp", { self: emit(b).cast(place, "int64"), min: 0, max: size - 1 });
}

/** Returns the points of a grid that no transform has moved, as rows of [x, y, 1] or [x, y, z, 1]. */
function gridPoints(b: Builder, like: TensorMeta, spatial: readonly number[], align: boolean): TensorMeta {
  const e = emit(b);
  const rank = spatial.length;
  // The coordinate x belongs to the last dimension.
  const coordinates = range(rank).map((i) => {
    const dim = rank - 1 - i;
    const line = axis(e, spatial[dim]!, align, like);
    return e.expand(
      e.reshape(
        line,
        spatial.map((n, d) => (d === dim ? n : 1)),
      ),
      spatial,
    );
  });
  const base = b.tensor("aten::stack", { tensors: [...coordinates, e.full(spatial, 1, like.dtype)], dim: rank });
  return e.reshape(base, [numel(spatial), rank + 1]);
}

/** Returns the positions of the elements' edges or centers, from -1 to 1. */
function axis(e: Emit, size: number, align: boolean, theta: TensorMeta): TensorMeta {
  const steps = e.arange(size, theta.dtype);
  if (size === 1) return steps;
  const [scale, shift] = align ? [2 / (size - 1), -1] : [2 / size, 1 / size - 1];
  return e.add(e.mul(steps, { float: scale }), { float: shift });
}
