import { DTYPES, type DType } from "@pt2/format";
import type { PlanContext } from "../../engine/kernel.ts";
import { partScratch } from "../../engine/part-scratch.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { eachWhole, type Part } from "../../threads/team.ts";
import { packedBytes, ROW_UNIT } from "./gemm.ts";
import type { ProductKernels } from "./products.gen.ts";
import { productKernels } from "./products-module.ts";

/** Of an element that is packed, one by one. */
const NANOSECONDS_EACH_PACKED = 1;

/** As `productFloat64`, with the address of its scratch. */
type Multiply = (...args: [...Parameters<ProductKernels["productFloat64"]>, scratch: number]) => void;

/** How products of one dtype are computed, see assembly/product.ts. */
export interface Product {
  /** The name of the form that B is packed in: what plans share a packed constant by. */
  readonly form: string;
  readonly result: DType;
  /** Columns of a panel: as many as 32 bytes of the result have. */
  readonly columns: number;
  /** Bytes of a panel for each step of K, of which there are an even number where `pairs`. */
  readonly stepBytes: number;
  readonly pairs: boolean;
  /** Parts of rows begin at multiples of it. */
  readonly rowUnit: number;
  /** Of a multiplication and an addition. */
  readonly nanoseconds: number;
  /** Bytes of scratch for a product of so many steps; none by default. */
  readonly scratch?: (K: number) => number;
  multiply(ctx: PlanContext): Multiply;
  pack(ctx: PlanContext): ProductKernels["productPack8"];
}

export const FLOAT64_PRODUCT: Product = {
  ...{ form: "product-8", result: "float64", columns: 4, stepBytes: 32, pairs: false, rowUnit: 4, nanoseconds: 0.1 },
  multiply: (ctx) => productKernels(ctx).productFloat64,
  pack: (ctx) => productKernels(ctx).productPack8,
};

export const INT64_PRODUCT: Product = {
  ...{ form: "product-8", result: "int64", columns: 4, stepBytes: 32, pairs: false, rowUnit: 4, nanoseconds: 0.1 },
  // 64 rows of A and a panel of B as doubles, and what they make of C: see assembly/product-int64.ts.
  scratch: (K) => 8 * (64 * K + 4 * K + 64 * 4),
  multiply: (ctx) => productKernels(ctx).productInt64,
  pack: (ctx) => productKernels(ctx).productPack8,
};

export const INT32_PRODUCT: Product = {
  ...{ form: "product-4", result: "int32", columns: 8, stepBytes: 32, pairs: false, rowUnit: 4, nanoseconds: 0.1 },
  multiply: (ctx) => productKernels(ctx).productInt32,
  pack: ({ kernels }) => kernels.gemmPackB,
};

/** As linear layers compute it, in stacks. */
export const FLOAT32_PRODUCT: Product = {
  ...{
    form: "product-4",
    result: "float32",
    columns: 8,
    stepBytes: 32,
    pairs: false,
    rowUnit: ROW_UNIT,
    nanoseconds: 0.05,
  },
  multiply:
    ({ kernels }) =>
    (M, N, K, a, lda, b, c, ldc) =>
      kernels.gemmPacked(M, N, K, a, lda, b, c, ldc, 0, 0, 0, 0),
  pack: ({ kernels }) => kernels.gemmPackB,
};

/** Of int8 to int32. A is int16, its rows followed by a zero if K is odd. */
export const INT8_PRODUCT: Product = {
  ...{ form: "product-1", result: "int32", columns: 8, stepBytes: 8, pairs: true, rowUnit: 4, nanoseconds: 0.03 },
  multiply: (ctx) => productKernels(ctx).productInt8,
  pack: (ctx) => productKernels(ctx).productPack1,
};

/**
 * Plans out[batch, M, N] = a[batch, M, K] · b[batch, K, N]; `a` and `out` are contiguous. An element is the same sum wherever
 * parts begin.
 */
export function planProduct(ctx: PlanContext, kind: Product, out: TensorView, a: TensorView, b: TensorView): void {
  const [batch, M, N] = out.shape as readonly [number, number, number];
  if (batch * M * N === 0) return;
  const K = b.shape[1]!;
  const panel = panelBytes(kind, K);
  const matrix = matrixBytes(kind, K, N);
  const packed = packedMatrices(ctx, kind, b);
  const multiply = kind.multiply(ctx);
  const lda = a.shape[2]!;
  const [rowOfA, rowOfOut] = [lda * DTYPES[a.dtype].itemsize, N * DTYPES[out.dtype].itemsize];
  const nanoseconds = batch * M * N * K * kind.nanoseconds;
  const scratch = kind.scratch?.(K) ?? 0;
  // The larger of both operands is what each thread reads a part of.
  if (batch === 1 && N > M) {
    const parts = ctx.team.parts({ items: N, unit: kind.columns, nanoseconds });
    const scratchOf = partScratch(ctx, parts, scratch);
    const compute = (part: Part): void => {
      const { start, count } = part;
      const to = addressOf(out) + start * DTYPES[out.dtype].itemsize;
      const panels = addressOf(packed) + (start / kind.columns) * panel;
      multiply(M, count, K, addressOf(a), lda, panels, to, N, scratchOf(part));
    };
    ctx.step(ctx.team.step(parts, compute));
  } else {
    // A stack is divided into matrices, or units of the rows of one.
    const [items, unit, rowsEach] = batch === 1 ? [M, kind.rowUnit, 1] : [batch, 1, M];
    const parts = ctx.team.parts({ items, unit, nanoseconds });
    const scratchOf = partScratch(ctx, parts, scratch);
    const compute = (part: Part): void => {
      const { start, count } = part;
      for (let row = start * rowsEach, left = count * rowsEach; left > 0; ) {
        const rows = Math.min(left, M);
        const [from, to] = [addressOf(a) + row * rowOfA, addressOf(out) + row * rowOfOut];
        multiply(rows, N, K, from, lda, addressOf(packed) + Math.floor(row / M) * matrix, to, N, scratchOf(part));
        [row, left] = [row + rows, left - rows];
      }
    };
    ctx.step(ctx.team.step(parts, compute));
  }
}

/** Packs the matrices of a stack [batch, K, N], one after the other; once when it is a constant. */
export function packedMatrices(ctx: PlanContext, kind: Product, stack: TensorView): TensorView {
  const [batch, K, N] = stack.shape as readonly [number, number, number];
  const [next, strideK, strideN] = stack.strides as readonly [number, number, number];
  const { itemsize } = DTYPES[stack.dtype];
  const [panel, matrix] = [panelBytes(kind, K), matrixBytes(kind, K, N)];
  const panels = Math.ceil(N / kind.columns);
  return ctx.prepared(stack, kind.form, packedBytes(batch * matrix), (inner, from, to) => {
    const pack = kind.pack(inner);
    const parts = inner.team.parts({ items: batch * panels, nanoseconds: batch * K * N * NANOSECONDS_EACH_PACKED });
    const compute = (part: Part): void =>
      eachWhole(part, panels, (index, first, count) => {
        const column = first * kind.columns;
        const src = addressOf(from) + (index * next + column * strideN) * itemsize;
        const columns = Math.min(count * kind.columns, N - column);
        pack(src, strideK, strideN, K, columns, addressOf(to) + index * matrix + first * panel);
      });
    inner.step(inner.team.step(parts, compute));
  });
}

/** Bytes of a panel of a packed matrix [K, N]. */
export function panelBytes({ stepBytes, pairs }: Product, K: number): number {
  return stepBytes * (pairs ? K + (K % 2) : K);
}

function matrixBytes(kind: Product, K: number, N: number): number {
  return Math.ceil(N / kind.columns) * panelBytes(kind, K);
}

/** A matrix as a stack of one. */
export function stacked(view: TensorView): TensorView {
  const { shape, strides } = view;
  return shape.length === 3 ? view : { ...view, shape: [1, ...shape], strides: [0, ...strides] };
}
