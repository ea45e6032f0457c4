import type { TensorView } from "../../engine/tensor-view.ts";

/** What attention reads and writes: [..., heads, rows, features] each, of which the leading dimensions may broadcast. */
export interface Matrices {
  readonly q: TensorView;
  readonly k: TensorView;
  readonly v: TensorView;
  /** [..., queries, keys] */
  readonly mask: TensorView | null;
  readonly out: TensorView;
}

/** Where one head begins in each, in elements. */
export type Head = Readonly<Record<keyof Matrices, number>>;

/** Attention whose heads of queries share those of keys, as many each. */
export interface SharedHeads extends Matrices {
  readonly sharing: number;
}

/** One query of each head: those of all heads that share keys are queries of one. */
export function mergedHeads({ q, k, v, mask, out, sharing }: SharedHeads): SharedHeads {
  const merged = (view: TensorView): TensorView => withQueries(view, sharing);
  return { q: merged(q), k, v, mask: mask && merged(mask), out: merged(out), sharing: 1 };
}

/** [..., heads, 1, n] as [..., heads / sharing, sharing, n]. */
function withQueries({ shape, strides, ...view }: TensorView, sharing: number): TensorView {
  const at = Math.max(shape.length - 3, 0);
  const [heads, stride] = shape.length < 3 ? [1, 0] : [shape[at]!, strides[at]!];
  const sizes = heads === 1 ? [1, 1] : [heads / sharing, sharing];
  return {
    ...view,
    shape: [...shape.slice(0, at), ...sizes, shape.at(-1)!],
    strides: [...strides.slice(0, at), stride * sharing, stride, strides.at(-1)!],
  };
}

/** Every head of every batch, row-major. */
export function headsOf({ q, k, v, mask, out, sharing }: SharedHeads): readonly Head[] {
  return indices(out.shape.slice(0, -2)).map((index) => {
    const keys = sharing === 1 ? index : [...index.slice(0, -1), Math.floor(index.at(-1)! / sharing)];
    return {
      q: offsetAt(q, index),
      k: offsetAt(k, keys),
      v: offsetAt(v, keys),
      mask: mask === null ? 0 : offsetAt(mask, index),
      out: offsetAt(out, index),
    };
  });
}

/** Every index of the leading dimensions, row-major. */
function indices(shape: readonly number[]): readonly (readonly number[])[] {
  return shape.reduce<readonly (readonly number[])[]>(
    (all, size) => all.flatMap((index) => Array.from({ length: size }, (_, i) => [...index, i])),
    [[]],
  );
}

/** Element offset of a (broadcast) tensor at an index of the leading dimensions. */
function offsetAt({ shape, strides }: TensorView, index: readonly number[]): number {
  const lead = shape.length - 2;
  return index.reduce((sum, i, d) => {
    const at = d - (index.length - lead);
    return at < 0 || shape[at] === 1 ? sum : sum + i * strides[at]!;
  }, 0);
}
