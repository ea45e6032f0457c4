import { broadcastStrides } from "@pt2/engine";
import type { TensorView } from "../engine/tensor-view.ts";

/** A dimension of a tensor after merging. */
export interface Dimension {
  readonly size: number;
  readonly stride: number;
}

/**
 * Drops dimensions of one element and merges neighbors that one stride crosses. The result is empty for one element.
 */
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

/** Broadcasts a tensor to a shape: strides of repeated dimensions are 0. */
export function broadcast(view: TensorView, shape: readonly number[]): TensorView {
  return { ...view, shape, strides: broadcastStrides(view, shape) };
}
