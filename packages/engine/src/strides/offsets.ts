import { backendError, numel } from "@pt2/backend";
import { LIMITS } from "../limits.ts";
import type { Layout } from "./layout.ts";

/** Returns the element offsets of a strided tensor in row-major order. */
export function offsetsOf({ shape, strides }: Layout): Int32Array {
  const count = numel(shape);
  if (count > LIMITS.offsets) {
    throw backendError("backend.limit", {
      what: `The op needs a table of ${count} element offsets; the limit is ${LIMITS.offsets}`,
      advice: "Index smaller tensors, or use another backend.",
      details: { count, allowed: LIMITS.offsets },
    });
  }
  let offsets = new Int32Array(1);
  for (const [d, size] of shape.entries()) {
    const stride = strides[d]!;
    const next = new Int32Array(offsets.length * size);
    let at = 0;
    for (const base of offsets) for (let i = 0; i < size; i++) next[at++] = base + i * stride;
    offsets = next;
  }
  return offsets;
}

/**
 * Calls `visit` with the element offset (relative to the tensor's first element) of each element in row-major order.
 */
export function forEachOffset({ shape, strides }: Layout, visit: (offset: number) => void): void {
  const rank = shape.length;
  if (shape.some((size) => size === 0)) return;
  const index = new Array<number>(rank).fill(0);
  let offset = 0;
  for (;;) {
    visit(offset);
    let dim = rank - 1;
    for (; dim >= 0; dim--) {
      index[dim]!++;
      offset += strides[dim]!;
      if (index[dim]! < shape[dim]!) break;
      offset -= strides[dim]! * shape[dim]!;
      index[dim] = 0;
    }
    if (dim < 0) return;
  }
}

/** A tensor divided into one-dimensional slices along a dimension. */
export interface Slices {
  /** The offset of each slice's first element, row-major over the other dimensions. */
  readonly starts: Int32Array;
  readonly size: number;
  readonly stride: number;
}

/** Returns the slices along `dim`; a 0-d tensor is one slice of one element. */
export function slicesOf({ shape, strides }: Layout, dim: number): Slices {
  if (shape.length === 0) return { starts: new Int32Array(1), size: 1, stride: 1 };
  const others = [...shape.keys()].filter((d) => d !== dim);
  const starts = offsetsOf({ shape: others.map((d) => shape[d]!), strides: others.map((d) => strides[d]!) });
  return { starts, size: shape[dim]!, stride: strides[dim]! };
}

/**
 * Returns an index that counts from the start for one that may be negative, as PyTorch does; null when it is out of
 * range.
 */
export function wrapIndex(index: number, size: number): number | null {
  const wrapped = index < 0 ? index + size : index;
  return wrapped >= 0 && wrapped < size ? wrapped : null;
}
