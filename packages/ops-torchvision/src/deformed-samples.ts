import type { Builder, TensorMeta } from "@pt2/registry";
import { arithmetic } from "./arithmetic.ts";

/** Sizes of a deformable convolution. */
export interface Geometry {
  readonly batch: number;
  readonly channels: number;
  readonly height: number;
  readonly width: number;
  readonly channelsOut: number;
  /** The elements of the kernel: rows, columns, and all. */
  readonly kernel: readonly [rows: number, columns: number];
  readonly taps: number;
  readonly groups: number;
  readonly offsetGroups: number;
  /** The result's rows, columns, and all of its pixels. */
  readonly down: number;
  readonly across: number;
  readonly pixels: number;
}

/** What says where a deformable convolution takes its samples. */
export interface SampledCall {
  readonly input: TensorMeta;
  readonly weight: TensorMeta;
  readonly stride_h: number;
  readonly stride_w: number;
  readonly pad_h: number;
  readonly pad_w: number;
  readonly dilation_h: number;
  readonly dilation_w: number;
  readonly groups: number;
  readonly offset_groups: number;
}

export function geometryOf(call: SampledCall): Geometry {
  const [batch, channels, height, width] = call.input.shape as [number, number, number, number];
  const [channelsOut, , rows, columns] = call.weight.shape as [number, number, number, number];
  const size = (length: number, kernel: number, stride: number, pad: number, dilation: number): number =>
    Math.floor((length + 2 * pad - (dilation * (kernel - 1) + 1)) / stride) + 1;
  const down = size(height, rows, call.stride_h, call.pad_h, call.dilation_h);
  const across = size(width, columns, call.stride_w, call.pad_w, call.dilation_w);
  return {
    ...{ batch, channels, height, width, channelsOut, down, across },
    kernel: [rows, columns],
    taps: rows * columns,
    groups: call.groups,
    offsetGroups: call.offset_groups,
    pixels: down * across,
  };
}

/** Where samples lie, [N, offset groups, 1, taps · pixels] each. */
export interface Places {
  readonly y: TensorMeta;
  readonly x: TensorMeta;
}

export function placesOf(offset: TensorMeta, call: SampledCall, geometry: Geometry, b: Builder): Places {
  const { add, sub, mul, count, reshape } = arithmetic(b);
  const { batch, offsetGroups, kernel, taps, down, across, pixels } = geometry;
  const pairs = reshape(offset, batch, offsetGroups, kernel[0], kernel[1], 2, down, across);
  const at = (index: number, tap: TensorMeta, pixel: TensorMeta): TensorMeta => {
    const moved = b.tensor("aten::select.int", { self: pairs, dim: 4, index });
    return reshape(add(add(tap, pixel), moved), batch, offsetGroups, 1, taps * pixels);
  };
  const along = (length: number, factor: number, ...shape: readonly number[]): TensorMeta =>
    reshape(mul(count(length, offset), factor), ...shape);
  return {
    y: at(
      0,
      along(kernel[0], call.dilation_h, kernel[0], 1, 1, 1),
      sub(along(down, call.stride_h, down, 1), call.pad_h),
    ),
    x: at(1, along(kernel[1], call.dilation_w, kernel[1], 1, 1), sub(along(across, call.stride_w, across), call.pad_w)),
  };
}

/** Interpolated samples, [N, offset groups, channels of a group, taps · pixels] each. */
export interface Sampled {
  readonly values: TensorMeta;
  /** How values change with the place. */
  readonly slopeY: TensorMeta;
  readonly slopeX: TensorMeta;
  /** The gradient of the input from that of the values. */
  spread(grad: TensorMeta): TensorMeta;
}

/** Samples an input bilinearly; beyond its border are zeros. */
export function sampleAt(input: TensorMeta, places: Places, geometry: Geometry, b: Builder): Sampled {
  const { add, sub, mul, floor, both, either, not, ge, le, isNan, where, cast, reshape } = arithmetic(b);
  const { batch, channels, height, width, offsetGroups, taps, pixels } = geometry;
  const [share, samples] = [channels / offsetGroups, taps * pixels];
  const flat = reshape(input, batch, offsetGroups, share, height * width);
  const [top, left] = [floor(places.y), floor(places.x)];
  const [low, high] = [(x: TensorMeta) => sub(mul(x, -1), -1), (x: TensorMeta) => x];
  const [partY, partX] = [sub(places.y, top), sub(places.x, left)];
  const isFar = either(isBeyond(places.y, height, b), isBeyond(places.x, width, b));
  /** NaN where a place is it and does not lie beyond a border by its other coordinate; 0 elsewhere. */
  const lost = (place: TensorMeta): TensorMeta => where(both(isNan(place), not(isFar)), place, 0);
  const [lostY, lostX] = [lost(places.y), lost(places.x)];
  const corners = [0, 1].flatMap((dy) =>
    [0, 1].map((dx) => {
      const [row, column] = [add(top, dy), add(left, dx)];
      const conditions = [ge(row, 0), le(row, height - 1), ge(column, 0), le(column, width - 1)];
      const isInside = both(...conditions);
      const position = where(isInside, add(mul(row, width), column), 0);
      const index = b.tensor("aten::expand", {
        self: cast(position, "int64"),
        size: [batch, offsetGroups, share, samples],
      });
      // What lies outside counts nothing; what is NaN stays it, by the first corner.
      const inside = (x: TensorMeta): TensorMeta => where(isInside, x, 0);
      const orLost = (x: TensorMeta, ...lost: readonly TensorMeta[]): TensorMeta =>
        (dx + dy === 0 ? lost : []).reduce((sum, other) => add(sum, other), x);
      const [weightY, weightX] = [(dy === 0 ? low : high)(partY), (dx === 0 ? low : high)(partX)];
      const weight = inside(mul(weightY, weightX));
      return {
        index,
        isInside,
        share: weight,
        value: b.tensor("aten::gather", { self: flat, dim: 3, index }),
        weight: orLost(weight, lostY, lostX),
        slopeY: orLost(inside(dy === 0 ? mul(weightX, -1) : weightX), lostX),
        slopeX: orLost(inside(dx === 0 ? mul(weightY, -1) : weightY), lostY),
      };
    }),
  );
  // At a distance of exactly 1 samples are zero, whatever is there, and yet have slopes.
  const total = (factor: "weight" | "slopeY" | "slopeX"): TensorMeta =>
    corners
      .map(({ isInside, value, [factor]: by }) =>
        mul(where(factor === "weight" ? both(isInside, not(isFar)) : isInside, value, 0), by),
      )
      .reduce((x, y) => add(x, y));
  return {
    values: total("weight"),
    slopeY: total("slopeY"),
    slopeX: total("slopeX"),
    spread(grad) {
      const zeros = b.tensor("aten::zeros_like", { self: flat });
      const sum = corners.reduce(
        (self, { index, share }) => b.tensor("aten::scatter_add", { self, dim: 3, index, src: mul(grad, share) }),
        zeros,
      );
      return reshape(sum, batch, channels, height, width);
    },
  };
}

/** Where a place has no neighbor in a map of `length` elements along one dimension. */
function isBeyond(place: TensorMeta, length: number, b: Builder): TensorMeta {
  const { either, le, ge } = arithmetic(b);
  return either(le(place, -1), ge(place, length));
}
