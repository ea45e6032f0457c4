import type { Clamp } from "@pt2/engine";
import { NO_CLAMP } from "../../engine/call-context.ts";
import type { PlanContext } from "../../engine/kernel.ts";
import { addressOf, type Buffer, type Place } from "../../engine/place.ts";

/** Flags of the packed matrix product, see assembly/gemm.ts. */
const ACCUMULATE = 1;
const CLAMP = 2;
/** Columns of a panel. */
const PANEL = 8;

/** A [K, N] matrix in the panels that the product wants; packed once when it is a constant. */
export function packedMatrix(ctx: PlanContext, matrix: Place): Buffer {
  const [K, N] = matrix.shape as readonly [number, number];
  const bytes = ctx.kernels.gemmPackedBytes(K, N);
  const [strideK, strideN] = matrix.strides as readonly [number, number];
  const fill = (inner: PlanContext, from: Place, to: Buffer): void =>
    inner.step(() => inner.kernels.gemmPackB(addressOf(from), strideK, strideN, K, N, to.address()));
  // PyTorch's [N, K] weights: the rows of a panel lie where the panel will.
  const inPlace = strideK === 1 && strideN === K && N % PANEL === 0;
  const rework = (inner: PlanContext, at: Buffer): void => {
    const work = inner.scratch(K * PANEL * 4);
    inner.step(() => inner.kernels.gemmPackInPlace(at.address(), K, N, work.address()));
  };
  return ctx.prepared(matrix, "gemm", bytes, fill, inPlace ? rework : undefined);
}

/** A matrix whose rows are contiguous, copied only if they are not. */
export function withContiguousRows(ctx: PlanContext, matrix: Place): Place {
  const [rows, columns] = matrix.shape as readonly [number, number];
  const contiguous = matrix.strides[1] === 1 || columns === 1;
  return contiguous && (rows === 1 || matrix.strides[0]! >= columns) ? matrix : ctx.dense(matrix);
}

/** Plans out[M, N] = a[M, K] · b[K, N] (+ bias[N]), all float32; `out` has contiguous rows. */
export function planGemm(
  ctx: PlanContext,
  out: Place,
  a: Place,
  b: Place,
  options: { readonly bias?: Place | null; readonly accumulate?: boolean; readonly clamp?: Clamp } = {},
): void {
  const [M, K] = a.shape as readonly [number, number];
  const N = b.shape[1]!;
  if (M === 0 || N === 0) return;
  const rows = withContiguousRows(ctx, a);
  const packed = packedMatrix(ctx, b);
  const bias = options.bias ? ctx.dense(options.bias) : null;
  const lda = M === 1 ? K : rows.strides[0]!;
  const ldc = M === 1 ? N : out.strides[0]!;
  const { lo, hi } = options.clamp ?? NO_CLAMP;
  const clamps = lo !== Number.NEGATIVE_INFINITY || hi !== Number.POSITIVE_INFINITY;
  const flags = (options.accumulate === true ? ACCUMULATE : 0) | (clamps ? CLAMP : 0);
  const { kernels } = ctx;
  ctx.step(() =>
    kernels.gemmPacked(
      M,
      N,
      K,
      addressOf(rows),
      lda,
      packed.address(),
      addressOf(out),
      ldc,
      bias === null ? 0 : addressOf(bias),
      flags,
      lo,
      hi,
    ),
  );
}

/** The transposed matrix, without a copy. */
export function transposed(matrix: Place): Place {
  return { ...matrix, shape: [matrix.shape[1]!, matrix.shape[0]!], strides: [matrix.strides[1]!, matrix.strides[0]!] };
}

/** A tensor as a matrix of its last dimension: [..., K] → [M, K], copied only when strides do not allow it. */
export function asRows(ctx: PlanContext, place: Place): Place {
  const columns = place.shape.at(-1)!;
  const rows = place.shape.slice(0, -1).reduce((n, size) => n * size, 1);
  const dense = ctx.dense(place);
  return { ...dense, shape: [rows, columns], strides: [columns, 1] };
}
