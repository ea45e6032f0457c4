import { isDense } from "@pt2/engine";
import { contiguousStrides, normalDim } from "@pt2/format";
import type { KernelCall } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { LINE_FLOATS } from "../../threads/team.ts";

/** The sizes of a tensor seen as [outer, n, inner]: a column has n elements, which are `inner` apart. */
export interface Sizes {
  readonly outer: number;
  readonly n: number;
  readonly inner: number;
}

/** A dense tensor seen as [outer, n, inner] in memory order, of which n goes away. */
export interface Columns extends Sizes {
  readonly source: TensorView;
}

/** What is left of a tensor's dimensions. */
export interface Kept extends Columns {
  /** The kept dimensions from the slowest to the fastest. */
  readonly kept: readonly number[];
}

/** The dimensions that go away; all of them where none are named. */
export function reducedDims(given: readonly number[] | null | undefined, rank: number): ReadonlySet<number> {
  const all = given === null || given === undefined || given.length === 0;
  return new Set(all ? Array.from({ length: rank }, (_, d) => d) : given.map((d) => normalDim(d, rank)));
}

/** Sees a tensor as its reduced dimensions and those before and behind them, by a copy where these are not neighbors. */
export function columnsOf(call: KernelCall, input: TensorView, reduced: ReadonlySet<number>): Kept {
  const order = [...input.shape.keys()].sort((a, b) => input.strides[b]! - input.strides[a]! || a - b);
  const first = order.findIndex((d) => reduced.has(d));
  const last = order.findLastIndex((d) => reduced.has(d));
  const adjacent = order.slice(first, last + 1).every((d) => reduced.has(d) || input.shape[d] === 1);
  if (isDense(input.shape, input.strides) && adjacent) return split(input, order, reduced);
  // Otherwise the reduced dimensions go last, by a copy.
  const moved = [...input.shape.keys()].filter((d) => !reduced.has(d)).concat([...reduced].sort((a, b) => a - b));
  const row = contiguousStrides(moved.map((d) => input.shape[d]!));
  const strides = input.shape.map((_, d) => row[moved.indexOf(d)]!);
  return split(call.withStrides(input, strides), moved, reduced);
}

function split(source: TensorView, order: readonly number[], reduced: ReadonlySet<number>): Kept {
  const size = (dims: readonly number[]): number => dims.reduce((n, d) => n * source.shape[d]!, 1);
  const first = order.findIndex((d) => reduced.has(d));
  const last = order.findLastIndex((d) => reduced.has(d));
  if (first < 0) return { source, outer: 1, n: 1, inner: size(order), kept: order };
  const kept = order.filter((d) => !reduced.has(d));
  return {
    source,
    outer: size(order.slice(0, first)),
    n: size(order.slice(first, last + 1)),
    inner: size(order.slice(last + 1)),
    kept,
  };
}

/** The result keeps the memory order of the dimensions that stay. */
export function outputStrides(shape: readonly number[], { source, kept }: Kept, rank: number): readonly number[] {
  const strides = new Array<number>(shape.length).fill(1);
  const keepdim = shape.length === rank;
  const positions = [...kept].sort((a, b) => a - b);
  let stride = 1;
  for (const d of [...kept].reverse()) {
    strides[keepdim ? d : positions.indexOf(d)] = stride;
    stride *= source.shape[d]!;
  }
  return strides;
}

/** All columns of some blocks, or some columns of all blocks. */
export interface ColumnsPart {
  readonly outer: number;
  readonly columns: number;
  /** The first element, counted in [outer, n, inner]. */
  readonly from: number;
  /** The first column, counted in [outer, inner]. */
  readonly to: number;
}

/** Plans a step that threads share, each column of which is computed by one; `nanoseconds` is what an element takes. */
export function stepOfColumns(
  call: KernelCall,
  { outer, n, inner }: Sizes,
  nanoseconds: number,
  compute: (part: ColumnsPart) => void,
): void {
  const byColumns = outer < inner;
  const division = byColumns ? { items: inner, unit: LINE_FLOATS } : { items: outer };
  const parts = call.team.parts({ ...division, nanoseconds: outer * n * inner * nanoseconds });
  const step = call.team.step(parts, ({ start, count }) =>
    compute(
      byColumns
        ? { outer, columns: count, from: start, to: start }
        : { outer: count, columns: inner, from: start * n * inner, to: start * inner },
    ),
  );
  call.step(step);
}
