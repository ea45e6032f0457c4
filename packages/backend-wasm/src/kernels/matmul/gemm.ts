import type { TensorLayout } from "@pt2/engine";
import { DTYPES } from "@pt2/format";
import type { Clamp } from "../../engine/clamp.ts";
import { NO_CLAMP } from "../../engine/context.ts";
import type { PlanContext } from "../../engine/kernel.ts";
import { partScratch } from "../../engine/part-scratch.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import type { Part } from "../../threads/team.ts";

/** Flags of the packed matrix product, see assembly/gemm.ts. */
const ACCUMULATE = 1;
const CLAMP = 2;
/** Columns of a panel. */
export const PANEL = 8;
/** Of a multiplication and an addition in the packed matrix product. */
export const NANOSECONDS_EACH_PRODUCT = 0.05;
/** Of an element of the packed matrix that is read from memory: for a row or two that takes longer than their products. */
const NANOSECONDS_EACH_READ = 0.1;
/** Of an element that is packed, which is read from and written to memory. */
const NANOSECONDS_EACH_PACKED = 0.5;
/**
 * What parts of rows begin at multiples of, and have at least: whole tiles in all builds of the kernels, and more rows than the
 * few that are added up in another order, see assembly/gemm.ts.
 */
export const ROW_UNIT = 12;

/**
 * A [K, N] matrix in the panels that the product wants; packed once when it is a constant. One in half precision, whose columns
 * are contiguous and even, is packed as if pairs were floats.
 */
export function packedMatrix(ctx: PlanContext, matrix: TensorView): TensorView {
  const each = 4 / DTYPES[matrix.dtype].itemsize;
  const [K, N] = [matrix.shape[0]! / each, matrix.shape[1]!];
  const bytes = ctx.kernels.gemmPackedBytes(K, N);
  const [strideK, strideN] = [matrix.strides[0]!, matrix.strides[1]! / each];
  const division = { items: N, unit: PANEL, nanoseconds: K * N * NANOSECONDS_EACH_PACKED };
  const fill = (inner: PlanContext, from: TensorView, to: TensorView): void => {
    const pack = ({ start, count }: Part): void => {
      const [src, dst] = [addressOf(from) + 4 * start * strideN, addressOf(to) + 4 * start * K];
      inner.kernels.gemmPackB(src, strideK, strideN, K, count, dst);
    };
    inner.step(inner.team.step(inner.team.parts(division), pack));
  };
  // PyTorch's [N, K] weights: the rows of a panel lie where the panel will.
  const inPlace = strideK === 1 && strideN === K && N % PANEL === 0;
  const rework = (inner: PlanContext, at: TensorView): void => {
    const parts = inner.team.parts(division);
    const scratchOf = partScratch(inner, parts, K * PANEL * 4);
    const pack = (part: Part): void =>
      inner.kernels.gemmPackInPlace(addressOf(at) + 4 * part.start * K, K, part.count, scratchOf(part));
    inner.step(inner.team.step(parts, pack));
  };
  return ctx.prepared(matrix, "gemm", packedBytes(bytes), fill, inPlace ? rework : undefined);
}

/** Describes the packed matrix as bytes, because only the product knows its layout. */
export function packedBytes(bytes: number): TensorLayout {
  return { dtype: "uint8", shape: [bytes] };
}

/** Returns a matrix with contiguous rows; it is a copy only if those of the given one are not contiguous. */
export function withContiguousRows(ctx: PlanContext, matrix: TensorView): TensorView {
  const [rows, columns] = matrix.shape as readonly [number, number];
  const contiguous = matrix.strides[1] === 1 || columns === 1;
  return contiguous && (rows === 1 || matrix.strides[0]! >= columns) ? matrix : ctx.dense(matrix);
}

/** Plans out[M, N] = a[M, K] · b[K, N] (+ bias[N]), all float32; `out` has contiguous rows. */
export function planGemm(
  ctx: PlanContext,
  out: TensorView,
  a: TensorView,
  b: TensorView,
  options: { readonly bias?: TensorView | null; readonly accumulate?: boolean; readonly clamp?: Clamp } = {},
): void {
  const [M, K] = a.shape as readonly [number, number];
  const N = b.shape[1]!;
  if (M === 0 || N === 0) return;
  const rows = withContiguousRows(ctx, a);
  const packed = packedMatrix(ctx, b);
  const bias = options.bias ? ctx.dense(options.bias) : null;
  const lda = M === 1 ? K : rows.strides[0]!;
  const ldc = M === 1 ? N : out.strides[0]!;
  const [clamps, lo, hi] = clampArgs(options.clamp ?? NO_CLAMP);
  const flags = (options.accumulate === true ? ACCUMULATE : 0) | clamps;
  const { kernels } = ctx;
  const nanoseconds = N * K * Math.max(M * NANOSECONDS_EACH_PRODUCT, NANOSECONDS_EACH_READ);
  // The larger of both operands is what each thread reads a part of.
  if (M > N) {
    const parts = ctx.team.parts({ items: M, unit: ROW_UNIT, nanoseconds });
    ctx.step(
      ctx.team.step(parts, ({ start, count }) => {
        const [a, c] = [addressOf(rows) + 4 * start * lda, addressOf(out) + 4 * start * ldc];
        kernels.gemmPacked(count, N, K, a, lda, addressOf(packed), c, ldc, bias ? addressOf(bias) : 0, flags, lo, hi);
      }),
    );
  } else {
    const parts = ctx.team.parts({ items: N, unit: PANEL, nanoseconds });
    ctx.step(
      ctx.team.step(parts, ({ start, count }) => {
        const [b, c] = [addressOf(packed) + 4 * start * K, addressOf(out) + 4 * start];
        const biasAt = bias ? addressOf(bias) + 4 * start : 0;
        kernels.gemmPacked(M, count, K, addressOf(rows), lda, b, c, ldc, biasAt, flags, lo, hi);
      }),
    );
  }
}

/** The flag for a clamp, and its bounds, as the packed matrix product takes them. */
export function clampArgs({ lo, hi }: Clamp): readonly [flags: number, lo: number, hi: number] {
  return [lo !== Number.NEGATIVE_INFINITY || hi !== Number.POSITIVE_INFINITY ? CLAMP : 0, lo, hi];
}

/** Rows of a product that are worth packing what they are multiplied by; and columns of few rows, of which some make up for less. */
const LEAST_ROWS = 5;
const MANY_COLUMNS = 64;

/** Which operand of a product is so small that packing would take most: such are computed without, see dots.ts. */
export function narrowSide(a: TensorView, b: TensorView): "rows" | "columns" | null {
  if (b.shape.at(-1) === 1) return "columns";
  if (isFew(a.shape.at(-2)!, b.shape.at(-1)!, b, b.strides.at(-1)!)) return "rows";
  return isFew(b.shape.at(-1)!, a.shape.at(-2)!, a, a.strides.at(-2)!) ? "columns" : null;
}

/** `step`: how far what neighboring outputs read in the matrix lies apart. */
function isFew(few: number, many: number, { shape, buffer }: TensorView, step: number): boolean {
  // A matrix by itself that is constant is packed once.
  if (shape.length === 2 && buffer.constant !== null) return false;
  return few === 1 || (few < LEAST_ROWS && many >= MANY_COLUMNS && step === 1);
}

/** Returns the transposed matrix without a copy. */
export function transposed(matrix: TensorView): TensorView {
  return { ...matrix, shape: [matrix.shape[1]!, matrix.shape[0]!], strides: [matrix.strides[1]!, matrix.strides[0]!] };
}

/** A tensor as a matrix of its last dimension: [..., K] → [M, K], copied only when strides do not allow it. */
export function asRows(ctx: PlanContext, view: TensorView): TensorView {
  const columns = view.shape.at(-1)!;
  const rows = view.shape.slice(0, -1).reduce((n, size) => n * size, 1);
  const dense = ctx.dense(view);
  return { ...dense, shape: [rows, columns], strides: [columns, 1] };
}

/** A dense result as a matrix of its last dimension. */
export function asMatrix(out: TensorView): TensorView {
  const columns = out.shape.at(-1)!;
  return { ...out, shape: [out.shape.slice(0, -1).reduce((n, size) => n * size, 1), columns], strides: [columns, 1] };
}
