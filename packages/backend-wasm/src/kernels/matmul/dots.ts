import { DTYPES } from "@pt2/format";
import type { Clamp } from "../../engine/clamp.ts";
import { NO_CLAMP } from "../../engine/context.ts";
import type { KernelCall } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { LINE_FLOATS, type Part } from "../../threads/team.ts";
import { resultIn } from "../float32.ts";
import { stacked } from "./product.ts";
import { productKernels } from "./products-module.ts";

/** Of a product, and of a row of them. */
const NANOSECONDS_EACH = 0.15;
const NANOSECONDS_ROW = 3;

/** What becomes of the sums of each row: a number is added, and they are limited. */
interface Finish extends Clamp {
  readonly bias: TensorView | null;
}

const AS_THEY_ARE: Finish = { bias: null, ...NO_CLAMP };

/**
 * Plans `out[B, M, N]`, or `out[M, N]`, all float32 or all float64, as sums of products where the one operand has few rows, or the other
 * few columns: along the lines of the matrix, or line by line where it lies the other way. An output is the same sum wherever parts begin.
 */
export function planDots(call: KernelCall, side: "rows" | "columns", x: TensorView, y: TensorView): void {
  const [a, b] = [stacked(x), stacked(y)];
  const [batch, M, K] = a.shape as readonly [number, number, number];
  const N = b.shape[2]!;
  const byRows = side === "rows";
  const compute = (out: TensorView): void => {
    if (batch * M * N === 0) return;
    // The transposed product has as few rows as this one has columns.
    if (byRows) planRows(call, { batch, rows: M, columns: N, K }, a, b, out);
    else planRows(call, { batch, rows: N, columns: M, K }, transposed(b), transposed(a), out);
  };
  const strides = byRows ? [M * N, N, 1] : [M * N, 1, M];
  resultIn(a.dtype, call, compute, { strides: strides.slice(-x.shape.length) });
}

interface Sizes {
  readonly batch: number;
  readonly rows: number;
  readonly columns: number;
  readonly K: number;
}

/** Plans products of few rows and matrices; of a single row where what is added up lies side by side in a matrix. */
export function planRows(
  call: KernelCall,
  sizes: Sizes,
  few: TensorView,
  given: TensorView,
  out: TensorView,
  finish: Finish = AS_THEY_ARE,
): void {
  const { batch, rows, columns, K } = sizes;
  const { itemsize } = DTYPES[out.dtype];
  const [, inner, side] = given.strides as readonly [number, number, number];
  const isRow = rows === 1;
  const isDense = columns === 1 || side === 1 || (isRow && (K <= 1 || inner === 1));
  const matrix = isDense ? given : call.dense(given);
  const [next, down, across] = matrix.strides as readonly [number, number, number];
  const x = (K <= 1 || few.strides[2] === 1) && (isRow || few.strides[1] === K) ? few : call.dense(few);
  const byLines = isRow && finish === AS_THEY_ARE && (K <= 1 || down === 1);
  const kernels = productKernels(call);
  const nanoseconds = batch * rows * columns * (NANOSECONDS_ROW + K * NANOSECONDS_EACH);
  const parts = call.team.parts(
    batch === 1 ? { items: columns, unit: LINE_FLOATS, nanoseconds } : { items: batch, nanoseconds },
  );
  const compute = ({ start, count }: Part): void => {
    const [first, matrices, column, wide] = batch === 1 ? [0, 1, start, count] : [start, count, 0, columns];
    const from = [addressOf(matrix) + itemsize * (first * next + column * across), next] as const;
    const by = [addressOf(x) + itemsize * first * x.strides[0]!, x.strides[0]!] as const;
    const to = [addressOf(out) + itemsize * (first * rows * columns + column), rows * columns] as const;
    if (byLines) {
      const run = itemsize === 4 ? kernels.dotRows : kernels.dotRowsDouble;
      run(matrices, wide, K, ...from, across, ...by, ...to);
    } else {
      const run = itemsize === 4 ? kernels.dotColumns : kernels.dotColumnsDouble;
      const bias = finish.bias === null ? 0 : addressOf(finish.bias);
      run(matrices, rows, wide, K, ...from, down, ...by, bias, ...to, columns, finish.lo, finish.hi);
    }
  };
  call.step(call.team.step(parts, compute));
}

function transposed({ shape, strides, ...view }: TensorView): TensorView {
  const [batch, rows, columns] = shape as readonly [number, number, number];
  return { ...view, shape: [batch, columns, rows], strides: [strides[0]!, strides[2]!, strides[1]!] };
}
