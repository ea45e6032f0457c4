import { contiguousStrides, reachOutside } from "@pt2/format";
import { registryError } from "./registry-errors.ts";
import type { Strided } from "./tensor-meta.ts";

/** Returns the geometry of a contiguous tensor at the start of its storage. */
export function contiguous(shape: readonly number[], offset = 0): Strided {
  return { shape, strides: contiguousStrides(shape), offset };
}

/**
 * Returns the strides of the same storage in another shape with as many elements, or null if that needs a copy:
 * `at::detail::computeStride`.
 */
export function viewStrides({ shape, strides }: Strided, to: readonly number[]): readonly number[] | null {
  if (shape.includes(0)) {
    return shape.length === to.length && shape.every((size, d) => size === to[d]) ? strides : contiguousStrides(to);
  }
  const result = new Array<number>(to.length).fill(1);
  if (shape.length === 0) return result;
  let at = to.length - 1;
  let base = strides[shape.length - 1]!;
  let from = 1;
  let reached = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    from *= shape[d]!;
    const breaks = d === 0 || (shape[d - 1] !== 1 && strides[d - 1] !== from * base);
    if (!breaks) continue;
    while (at >= 0 && (reached < from || to[at] === 1)) {
      result[at] = reached * base;
      reached *= to[at]!;
      at--;
    }
    if (reached !== from) return null;
    if (d > 0) {
      base = strides[d - 1]!;
      from = 1;
      reached = 1;
    }
  }
  return at === -1 ? result : null;
}

/** Checks that a view stays inside a tensor of `count` elements. */
export function requireInside(view: Strided, count: number, op: string): void {
  const outside = reachOutside(view, count);
  if (outside === undefined) return;
  const { first, last } = outside;
  const { shape, strides, offset } = view;
  throw registryError("registry.argument", {
    what: `${op}: sizes [${shape.join(", ")}], strides [${strides.join(", ")}] and offset ${offset} reach elements ${first} to ${last} of a tensor of ${count} elements`,
    advice: "A view must stay inside its tensor; the program is damaged.",
  });
}
