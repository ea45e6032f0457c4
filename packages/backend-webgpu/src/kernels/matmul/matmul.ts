import type { TensorView } from "../../engine/tensor-view.ts";
import type { Shader } from "../../shader/shader.ts";

/**
 * A product of matrices, out[b, i, j] = Σ a[b, i, k] b[b, k, j] + bias[j], whose operands lie in memory in any way. A
 * batch that shares a matrix has stride 0 there.
 */
export interface Matmul {
  /** [batch, m, k] */
  readonly a: TensorView;
  /** [batch, k, n] */
  readonly b: TensorView;
  /** [n] */
  readonly bias: TensorView | null;
}

/** Sizes of a product. */
export interface MatmulSize {
  readonly batch: number;
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/** A product as one dispatch computes it: some columns of a wider result. */
export interface PlannedMatmul extends Matmul {
  /** Columns of the whole result. */
  readonly width: number;
  /** Column of the result that the first one of `b` is. */
  readonly first: number;
  /** Declares `b4x4` of `operands.ts` for a right matrix that was packed: `b` has its sizes, and is not read. */
  readonly packed?: ((shader: Shader) => string) | undefined;
}

/** Sizes of a product, from its operands. */
export function sizeOf({ a, b }: Matmul): MatmulSize {
  const [batch, m, k] = a.shape as readonly [number, number, number];
  return { batch, m, n: b.shape[2]!, k };
}

/** A matrix as a batch of one, or one that a whole batch shares. */
export function stacked(matrix: TensorView, batch = 1): TensorView {
  return { ...matrix, shape: [batch, ...matrix.shape], strides: [0, ...matrix.strides] };
}

/** A matrix, or a stack of them, with rows for columns. */
export function transposed(view: TensorView): TensorView {
  const swap = (list: readonly number[]): readonly number[] => [...list.slice(0, -2), list.at(-1)!, list.at(-2)!];
  return { ...view, shape: swap(view.shape), strides: swap(view.strides) };
}

/** The same product with less to tell apart: matrices that are rows of one and the same product are taken together. */
export function simplified(product: Matmul): Matmul {
  const { a, b, bias } = product;
  const { batch, m, n } = sizeOf(product);
  const [next, row, column] = a.strides as readonly [number, number, number];
  if (batch > 1 && b.strides[0] === 0 && (m === 1 || next === m * row)) {
    const rows = { ...a, shape: [1, batch * m, a.shape[2]!], strides: [0, m === 1 ? next : row, column] };
    return simplified({ a: rows, b: { ...b, shape: b.shape.with(0, 1) }, bias });
  }
  // A column is as good as a row, for which there are shaders of their own.
  if (n === 1 && m > 1) {
    return { a: transposed(b), b: transposed(a), bias: bias && { ...bias, shape: [m], strides: [0] } };
  }
  return product;
}
