import { broadcastStrides } from "@pt2/engine";
import type { TensorView } from "../engine/tensor-view.ts";

/** Dimensions of a tensor, as few as give the same elements in the same order. */
export interface Dimension {
  readonly size: number;
  readonly stride: number;
}

/** Leaves out dimensions of one element and merges neighbours that one stride crosses. Empty for one element. */
export function dimensionsOf({ shape, strides }: Pick<TensorView, "shape" | "strides">): readonly Dimension[] {
  const dims: Dimension[] = [];
  for (const [d, size] of shape.entries()) {
    if (size === 1) continue;
    const stride = strides[d]!;
    const outer = dims.at(-1);
    if (outer?.stride === stride * size) dims[dims.length - 1] = { size: outer.size * size, stride };
    else dims.push({ size, stride });
  }
  return dims;
}

/** A tensor as it broadcasts to a shape: strides of repeated dimensions are 0. */
export function broadcast(place: TensorView, shape: readonly number[]): TensorView {
  return { ...place, shape, strides: broadcastStrides(place, shape) };
}
