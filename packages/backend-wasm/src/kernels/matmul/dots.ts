import { DTYPES } from "@pt2/format";
import type { KernelCall } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { LINE_FLOATS, type Part } from "../../threads/team.ts";
import { stacked } from "./product.ts";
import { productKernels } from "./products-module.ts";

/** Of a product, and of a row of them. */
const NANOSECONDS_EACH = 0.15;
const NANOSECONDS_ROW = 3;

/** Matrices and vectors, one of each for every element of a batch: each output is the sum of products of a line and the vector. */
interface Dots {
  readonly matrices: TensorView;
  readonly outputs: number;
  /** How far the matrix's elements for neighboring outputs lie apart, and those that are added up. */
  readonly strides: readonly [output: number, inner: number];
  readonly vectors: TensorView;
}

/**
 * Plans `out[B, M, N]`, or `out[M, N]`, all float32 or all float64, as sums of products where the one operand has a single row, or the other a single
 * column: along the lines of the matrix, or line by line where it lies the other way. An output is the same sum wherever parts begin.
 */
export function planDots(call: KernelCall, x: TensorView, y: TensorView, out: TensorView): void {
  const [a, b] = [stacked(x), stacked(y)];
  const [batch, , K] = a.shape as readonly [number, number, number];
  const { itemsize } = DTYPES[out.dtype];
  const { matrices, outputs, strides, vectors } = dotsOf(call, a, b);
  const byRows = K <= 1 || strides[1] === 1;
  const kernels = productKernels(call);
  const [rows, columns] =
    itemsize === 4 ? [kernels.dotRows, kernels.dotColumns] : [kernels.dotRowsDouble, kernels.dotColumnsDouble];
  const run = byRows ? rows : columns;
  const line = byRows ? strides[0] : strides[1];
  const [next, vectorNext] = [matrices.strides[0]!, vectors.strides[0]!];
  const nanoseconds = batch * outputs * (NANOSECONDS_ROW + K * NANOSECONDS_EACH);
  const parts = call.team.parts(
    batch === 1 ? { items: outputs, unit: LINE_FLOATS, nanoseconds } : { items: batch, nanoseconds },
  );
  call.step(
    call.team.step(parts, ({ start, count }: Part) => {
      const [first, output] = batch === 1 ? [0, start] : [start, 0];
      run(
        ...(batch === 1 ? ([1, count, K] as const) : ([count, outputs, K] as const)),
        ...([addressOf(matrices) + itemsize * (first * next + output * strides[0]), next, line] as const),
        ...([addressOf(vectors) + itemsize * first * vectorNext, vectorNext] as const),
        ...([addressOf(out) + itemsize * (first * outputs + output), outputs] as const),
      );
    }),
  );
}

function dotsOf(call: KernelCall, a: TensorView, b: TensorView): Dots {
  const [, M, K] = a.shape as readonly [number, number, number];
  const isRow = M === 1;
  const outputs = isRow ? b.shape[2]! : M;
  const stridesOf = ({ strides }: TensorView): Dots["strides"] =>
    isRow ? [strides[2]!, strides[1]!] : [strides[1]!, strides[2]!];
  const given = isRow ? b : a;
  const strides = stridesOf(given);
  const matrices = K <= 1 || outputs === 1 || strides.includes(1) ? given : call.dense(given);
  const vectors = isRow ? a : b;
  const isDense = K <= 1 || vectors.strides[isRow ? 2 : 1] === 1;
  return { matrices, outputs, strides: stridesOf(matrices), vectors: isDense ? vectors : call.dense(vectors) };
}
