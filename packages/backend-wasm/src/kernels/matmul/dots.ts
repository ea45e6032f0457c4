import type { KernelCall } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { productKernels } from "./products-module.ts";

/** Of a product, and of a row of them. */
const NANOSECONDS_EACH = 0.15;
const NANOSECONDS_ROW = 3;

/** Matrices and vectors, one of each for every element of a batch: which rows of the one are multiplied by the other. */
interface Dots {
  readonly matrices: TensorView;
  readonly rows: number;
  readonly row: number;
  readonly vectors: TensorView;
}

/**
 * Plans `out[B, M, N]` as sums of products of rows where the one operand has a single row, or the other a single column, and what is added
 * up lies side by side in both. Returns whether it does.
 */
export function planDots(call: KernelCall, a: TensorView, b: TensorView, out: TensorView): boolean {
  const [batch, M, K] = a.shape as readonly [number, number, number];
  const dots = dotsOf(a, b);
  if (dots === null) return false;
  const { matrices, rows, row, vectors } = dots;
  const [next, vectorNext] = [matrices.strides[0]!, vectors.strides[0]!];
  const parts = call.team.parts({
    items: batch,
    nanoseconds: batch * rows * (NANOSECONDS_ROW + K * NANOSECONDS_EACH),
  });
  const { dotRows } = productKernels(call);
  const outNext = M * b.shape[2]!;
  call.step(
    call.team.step(parts, ({ start, count }) =>
      dotRows(
        ...([count, rows, K] as const),
        ...([addressOf(matrices) + 4 * start * next, next, row] as const),
        ...([addressOf(vectors) + 4 * start * vectorNext, vectorNext] as const),
        ...([addressOf(out) + 4 * start * outNext, outNext] as const),
      ),
    ),
  );
  return true;
}

function dotsOf(a: TensorView, b: TensorView): Dots | null {
  const [, M, K] = a.shape as readonly [number, number, number];
  const N = b.shape[2]!;
  if (K > 1 && b.strides[1] !== 1) return null;
  if (N === 1) return { matrices: a, rows: M, row: a.strides[1]!, vectors: b };
  return M === 1 ? { matrices: b, rows: N, row: b.strides[2]!, vectors: a } : null;
}
