import { normalDim, numel } from "@pt2/format";
import type { TensorView } from "../../engine/tensor-view.ts";
import type { Shader } from "../../shader/shader.ts";

type Layout = Pick<TensorView, "shape" | "strides">;

/** A tensor as results times what each is reduced from. */
export interface ReducedLayout {
  readonly kept: Layout;
  readonly reduced: Layout;
  /** Number of results. */
  readonly outer: number;
  /** Elements of each. */
  readonly n: number;
}

/** Splits a tensor by a `dim` argument: one dimension, several, or all of them. */
export function reducedLayout(
  { shape, strides }: Layout,
  dim: number | readonly number[] | null | undefined,
): ReducedLayout {
  const given = typeof dim === "number" ? [dim] : (dim ?? []);
  const all = [...shape.keys()];
  const gone = new Set(given.length === 0 ? all : given.map((d) => normalDim(d, shape.length)));
  const pick = (dims: readonly number[]): Layout => ({
    shape: dims.map((d) => shape[d]!),
    strides: dims.map((d) => strides[d]!),
  });
  const kept = pick(all.filter((d) => !gone.has(d)));
  const reduced = pick(all.filter((d) => gone.has(d)));
  return { kept, reduced, outer: numel(kept.shape), n: numel(reduced.shape) };
}

/** Whether the elements of a result lie nearer to each other than those of different results. */
export function areNeighbors({ kept, reduced }: ReducedLayout): boolean {
  const nearest = ({ shape, strides }: Layout): number => Math.min(...strides.filter((_, d) => shape[d] !== 1));
  return nearest(reduced) <= nearest(kept);
}

/** Reads a tensor as lanes: declares `x_at(outer(o) + inner(i))`. */
export function readLanes(shader: Shader, view: TensorView, { kept, reduced }: ReducedLayout): Shader {
  return shader.raw("x", view).offsets("outer", kept).offsets("inner", reduced);
}
