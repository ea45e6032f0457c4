import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { numel, sameShape } from "../support/dims.ts";
import { emit } from "../support/emit.ts";
import { inside, padCoordinate, tapSlopes, taps, unnormalize } from "./grid-coordinates.ts";
import { sampled } from "./grid-sample.ts";

/** Defines the backward ops of grid sampling; PyTorch's names for modes and paddings are numbers. */
export const GRID_SAMPLE_BACKWARD_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::grid_sampler_2d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners, bool[2] output_mask) -> (Tensor, Tensor)",
    {
      requires: { same: ["input", "grid", "grad_output"] },
      decompose: (args, b) => gradients(b, args, 2),
    },
  ),
  defineOp(
    "aten::grid_sampler_3d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners, bool[2] output_mask) -> (Tensor, Tensor)",
    {
      requires: { same: ["input", "grid", "grad_output"] },
      decompose: (args, b) => gradients(b, args, 3),
    },
  ),
];

interface Backward {
  readonly grad_output: TensorMeta;
  readonly input: TensorMeta;
  readonly grid: TensorMeta;
  readonly interpolation_mode: number;
  readonly padding_mode: number;
  readonly align_corners: boolean;
  readonly output_mask: readonly boolean[];
}

/** A neighbor along one dimension: where it is, its weight, and how that changes with the coordinate. */
interface Neighbor {
  readonly index: TensorMeta;
  readonly weight: TensorMeta;
  readonly slope: TensorMeta | null;
}

function gradients(b: Builder, args: Backward, rank: number): readonly [TensorMeta, TensorMeta] {
  const { grad_output, input, grid, interpolation_mode: mode, padding_mode, align_corners, output_mask } = args;
  const { shape } = sampled(args, rank);
  check(
    sameShape(grad_output.shape, shape),
    () =>
      `grid_sampler_${rank}d_backward(): grad_output must have sizes ${show(shape)}, not ${show(grad_output.shape)}`,
  );
  const e = emit(b);
  const [batch, channels] = input.shape as readonly [number, number];
  const spatial = input.shape.slice(2);
  const places = numel(grid.shape.slice(1, -1));
  const along = (size: number, coordinate: number): readonly Neighbor[] => {
    const raw = e.reshape(e.select(grid, grid.shape.length - 1, coordinate), [batch, places]);
    const center = unnormalize(e, raw, size, align_corners);
    const pad = (x: TensorMeta): TensorMeta => padCoordinate(b, x, size, padding_mode, align_corners);
    const scale = { float: align_corners ? (size - 1) / 2 : size / 2 };
    // Cubic interpolation pads its neighbors, linear interpolation its center.
    const at = mode === 2 ? center : pad(center);
    const moved = mode === 2 ? null : paddingSlope(b, center, size, padding_mode, align_corners);
    const slopes = tapSlopes(b, mode, at);
    return taps(b, mode, at).map(({ place, weight }, i) => {
      const found = mode === 2 ? pad(place) : place;
      const index = b.tensor("aten::clamp", { self: e.cast(found, "int64"), min: 0, max: size - 1 });
      const exists = padding_mode === 0 ? inside(b, found, size) : null;
      // What has no place, such as one at NaN, has no weight either.
      const seen = (x: TensorMeta): TensorMeta =>
        exists === null ? x : e.where(e.gt(exists, { float: 0 }), x, { float: 0 });
      const slope = slopes[i] ?? null;
      const change = slope === null ? null : e.mul(moved === null ? slope : e.mul(slope, moved), scale);
      return { index, weight: seen(weight), slope: change === null ? null : seen(change) };
    });
  };
  // The coordinate x belongs to the last dimension.
  const axes = spatial.map((size, d) => along(size, spatial.length - 1 - d));
  const flat = e.reshape(input, [batch, channels, numel(spatial)]);
  const grad = e.reshape(grad_output, [batch, channels, places]);
  let toInput = e.full([batch, channels, numel(spatial)], 0, input.dtype);
  const toGrid = spatial.map(() => e.full([batch, places], 0, grid.dtype));
  const corners = axes.reduce<readonly (readonly Neighbor[])[]>(
    (found, axis) => found.flatMap((corner) => axis.map((neighbor) => [...corner, neighbor])),
    [[]],
  );
  const product = (factors: readonly TensorMeta[]): TensorMeta => factors.reduce((x, y) => e.mul(x, y));
  for (const corner of corners) {
    const place = corner.map(({ index }) => index).reduce((outer, index, d) => e.add(e.mul(outer, spatial[d]!), index));
    const index = e.expand(e.unsqueeze(place, 1), [batch, channels, places]);
    if (output_mask[0]) {
      const src = e.mul(grad, e.unsqueeze(product(corner.map(({ weight }) => weight)), 1));
      toInput = b.tensor("aten::scatter_add", { self: toInput, dim: 2, index, src });
    }
    if (!output_mask[1] || mode === 1) continue;
    const values = e.sum(e.mul(grad, b.tensor("aten::gather", { self: flat, dim: 2, index })), [1]);
    for (const d of corner.keys()) {
      const change = product(corner.map(({ weight, slope }, k) => (k === d ? slope! : weight)));
      toGrid[d] = e.add(toGrid[d]!, e.mul(values, change));
    }
  }
  const none = e.full([0], 0, input.dtype);
  const coordinates = b.tensor("aten::stack", { tensors: toGrid.toReversed(), dim: 2 });
  return [
    output_mask[0] ? e.reshape(toInput, input.shape) : none,
    output_mask[1] ? e.reshape(coordinates, grid.shape) : none,
  ];
}

/** How the padded position changes with the position: not at all beyond the border, backwards where it is reflected. */
function paddingSlope(b: Builder, x: TensorMeta, size: number, mode: number, align: boolean): TensorMeta {
  const e = emit(b);
  if (mode === 0) return b.tensor("aten::ones_like", { self: x });
  const between = (y: TensorMeta): TensorMeta =>
    e.cast(
      b.tensor("aten::logical_and", { self: e.gt(y, { float: 0 }), other: e.lt(y, { float: size - 1 }) }),
      x.dtype,
    );
  if (mode === 1) return between(x);
  const [low, high] = align ? [0, size - 1] : [-0.5, size - 0.5];
  if (high === low) return b.tensor("aten::zeros_like", { self: x });
  const offset = e.sub(x, { float: low! });
  const turns = e.floor(e.div(e.abs(offset), { float: high! - low! }));
  const odd = b.tensor("aten::fmod.Scalar", { self: turns, other: { float: 2 } });
  const direction = e.sub({ float: 1 }, e.mul(odd, { float: 2 }));
  const sign = e.where(e.lt(offset, { float: 0 }), { float: -1 }, { float: 1 });
  // Where it is clamped after the reflection, it does not change either.
  return e.mul(e.mul(direction, sign), between(padCoordinate(b, x, size, mode, align)));
}
