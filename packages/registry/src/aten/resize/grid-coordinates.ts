import type { Builder } from "../../builder.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { type Emit, emit } from "../support/emit.ts";

/** A neighbor along one dimension. */
export interface Tap {
  /** The integral position, as a float. */
  readonly place: TensorMeta;
  readonly weight: TensorMeta;
}

/** Converts coordinates from -1…1 to positions of elements. */
export function unnormalize(e: Emit, x: TensorMeta, size: number, align: boolean): TensorMeta {
  const shifted = e.add(x, { float: 1 });
  if (align) return e.mul(shifted, { float: (size - 1) / 2 });
  return e.div(e.sub(e.mul(shifted, { float: size }), { float: 1 }), { float: 2 });
}

/**
 * Moves a position inside the image according to the padding mode; with zeros (mode 0) it is unchanged, see {@link
 * isInside}. NaN stays NaN.
 */
export function padCoordinate(b: Builder, x: TensorMeta, size: number, mode: number, align: boolean): TensorMeta {
  if (mode === 0) return x;
  const reflected = mode === 2 ? reflect(b, x, align ? [0, size - 1] : [-0.5, size - 0.5]) : x;
  return b.tensor("aten::clamp", { self: reflected, min: { float: 0 }, max: { float: size - 1 } });
}

/** Returns whether a position exists. */
export function isInside(b: Builder, place: TensorMeta, size: number): TensorMeta {
  const e = emit(b);
  return b.tensor("aten::logical_and", {
    self: e.ge(place, { float: 0 }),
    other: e.le(place, { float: size - 1 }),
  });
}

/** Returns 1 where a position exists, else 0. */
export function inside(b: Builder, place: TensorMeta, size: number): TensorMeta {
  return emit(b).cast(isInside(b, place, size), place.dtype);
}

/** Returns the neighbors of a position: two (linear), one (nearest) or four (cubic). */
export function taps(b: Builder, mode: number, center: TensorMeta): readonly Tap[] {
  const e = emit(b);
  if (mode === 1) {
    const place = b.tensor("aten::round", { self: center });
    return [{ place, weight: b.tensor("aten::ones_like", { self: center }) }];
  }
  const base = e.floor(center);
  const t = e.sub(center, base);
  const rest = e.sub({ float: 1 }, t);
  const at = (offset: number): TensorMeta => e.add(base, { float: offset });
  if (mode === 0) {
    return [
      { place: base, weight: rest },
      { place: at(1), weight: t },
    ];
  }
  return [
    { place: at(-1), weight: outer(e, e.add(t, { float: 1 })) },
    { place: base, weight: inner(e, t) },
    { place: at(1), weight: inner(e, rest) },
    { place: at(2), weight: outer(e, e.add(rest, { float: 1 })) },
  ];
}

/** Returns how the weights of {@link taps} change with the position; none for the nearest one. */
export function tapSlopes(b: Builder, mode: number, center: TensorMeta): readonly TensorMeta[] {
  const e = emit(b);
  if (mode === 1) return [];
  if (mode === 0) {
    const one = b.tensor("aten::ones_like", { self: center });
    return [e.neg(one), one];
  }
  const t = e.sub(center, e.floor(center));
  const rest = e.sub({ float: 1 }, t);
  return [
    outerSlope(e, e.add(t, { float: 1 })),
    innerSlope(e, t),
    e.neg(innerSlope(e, rest)),
    e.neg(outerSlope(e, e.add(rest, { float: 1 }))),
  ];
}

/** The coefficient of Keys' kernel that PyTorch uses. */
const A = -0.75;

/** Computes `((A + 2) d - (A + 3)) d² + 1`, for distances up to 1. */
function inner(e: Emit, d: TensorMeta): TensorMeta {
  return e.add(e.mul(e.mul(e.sub(e.mul(d, { float: A + 2 }), { float: A + 3 }), d), d), { float: 1 });
}

/** Computes `((A d - 5 A) d + 8 A) d - 4 A`, for distances from 1 to 2. */
function outer(e: Emit, d: TensorMeta): TensorMeta {
  const quadratic = e.add(e.mul(e.sub(e.mul(d, { float: A }), { float: 5 * A }), d), { float: 8 * A });
  return e.sub(e.mul(quadratic, d), { float: 4 * A });
}

/** Computes `(3 (A + 2) d - 2 (A + 3)) d`, the derivative for distances up to 1. */
function innerSlope(e: Emit, d: TensorMeta): TensorMeta {
  return e.mul(e.sub(e.mul(d, { float: 3 * (A + 2) }), { float: 2 * (A + 3) }), d);
}

/** Computes `(3 A d - 10 A) d + 8 A`, the derivative for distances from 1 to 2. */
function outerSlope(e: Emit, d: TensorMeta): TensorMeta {
  return e.add(e.mul(e.sub(e.mul(d, { float: 3 * A }), { float: 10 * A }), d), { float: 8 * A });
}

/** Reflects positions back and forth between two bounds. */
function reflect(b: Builder, x: TensorMeta, [low, high]: readonly [number, number]): TensorMeta {
  const e = emit(b);
  const span = high - low;
  if (span === 0) return e.mul(x, { float: 0 });
  const distance = e.abs(e.sub(x, { float: low }));
  const extra = b.tensor("aten::fmod.Scalar", { self: distance, other: { float: span } });
  const flips = b.tensor("aten::fmod.Scalar", { self: e.floor(e.div(distance, { float: span })), other: { float: 2 } });
  return e.add(e.where(e.eq(flips, { float: 0 }), extra, e.sub({ float: span }, extra)), { float: low });
}
