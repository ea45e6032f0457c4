import { numel } from "@pt2/backend";
import { DTYPES, type DType } from "@pt2/format";
import type { KernelCall } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { LINE_FLOATS, type Part } from "../../threads/team.ts";
import { indexKernels } from "./index-module.ts";
import { eachStart, type Level, levelsOf, ONCE } from "./levels.ts";
import type { Rows } from "./read-rows.ts";

/** How elements are combined with those that they are written to, as the module numbers them. */
const COMBINATIONS = { sum: 0, prod: 1, amax: 2, amin: 3 } as const;

/** What becomes of an element and the one that it is written to. */
export type RowOp = "set" | keyof typeof COMBINATIONS;

/** The dtypes of elements that are combined, as the module numbers them. */
const TYPES: Readonly<Partial<Record<DType, number>>> = {
  float32: 0,
  float64: 1,
  int64: 2,
  int32: 3,
  uint32: 4,
  int16: 5,
  uint16: 6,
  int8: 7,
  uint8: 8,
  bool: 8,
  float16: 9,
  bfloat16: 10,
};

/** Whether elements of the dtype are combined; any are set. */
export function canCombine({ dtype }: Pick<TensorView, "dtype">): boolean {
  return dtype in TYPES;
}

/** A sum of flags is true where any of them is, and a product where all are. */
function combination(op: keyof typeof COMBINATIONS, dtype: DType): number {
  return COMBINATIONS[dtype !== "bool" ? op : op === "sum" ? "amax" : op === "prod" ? "amin" : op];
}

/** A tensor that is read or written, without the dimension that rows are chosen along, and how far these lie apart. */
export interface Side {
  readonly view: TensorView;
  readonly strides: readonly number[];
  readonly row: number;
}

/** A tensor whose dimension `dim` rows are chosen along. */
export function chosenAlong(view: TensorView, dim: number): Side {
  return { view, strides: view.strides.map((stride, d) => (d === dim ? 0 : stride)), row: view.strides[dim] ?? 0 };
}

/** A tensor that is read or written from its first element on, in the order of the rows. */
export function inOrder(view: TensorView): Side {
  return { view, strides: view.strides, row: 0 };
}

/** Plans what is written for each element of `rows`, of which there is at least one, in row-major order. */
export function planIndexRows(call: KernelCall, op: RowOp, rows: Rows, from: Side, to: Side): void {
  const { combineRows, moveRows } = indexKernels(call);
  const { dtype } = to.view;
  const run = op === "set" ? moveRows : combineRows.bind(null, TYPES[dtype]!, combination(op, dtype));
  const size = DTYPES[dtype].itemsize;
  const levels = levelsOf(rows.shape, { from: from.strides, to: to.strides, at: rows.strides });
  const loops = [...new Array<Level>(Math.max(3 - levels.length, 0)).fill(ONCE), ...levels];
  const divided = dividedLevel(loops);
  const work = loops.reduce((count, level) => count * level.count, 1);
  const parts = call.team.parts({
    items: loops[divided]!.to === 0 ? 1 : loops[divided]!.count,
    unit: divided === loops.length - 1 ? LINE_FLOATS : 1,
    nanoseconds: (work / loops.at(-1)!.count) * NANOSECONDS_ROW + work * NANOSECONDS_EACH,
  });
  const compute = ({ start, count }: Part): void => {
    const part = loops.map((level, depth) => (depth === divided ? { ...level, count } : level));
    const { from: a, to: b, at } = loops[divided]!;
    const source = addressOf(from.view) + a * start * size;
    const target = addressOf(to.view) + b * start * size;
    const table = rows.buffer.handle + 4 * at * start;
    const [outer, inner, width] = part.slice(-3) as [Level, Level, Level];
    eachStart(part, 3, (p, q, r) =>
      run(
        outer.count,
        inner.count,
        width.count * size,
        source + p * size,
        outer.from * size,
        inner.from * size,
        from.row * size,
        target + q * size,
        outer.to * size,
        inner.to * size,
        to.row * size,
        table + 4 * r,
        4 * outer.at,
        4 * inner.at,
      ),
    );
  };
  call.step(call.team.step(parts, compute));
}

/**
 * The loop to divide among threads: the longest one of those that move what is written, so that threads write apart, and each
 * element is written in the same order by any number of them.
 */
function dividedLevel(loops: readonly Level[]): number {
  const pieces = loops.map(({ count, to }, depth) =>
    to === 0 ? 0 : depth === loops.length - 1 ? count / LINE_FLOATS : count,
  );
  return pieces.indexOf(Math.max(...pieces));
}

/** Divides each element of a row-major tensor that rows of a dtype were summed in by how many they were, and `more`. */
export function planMeans(call: KernelCall, dtype: DType, sums: TensorView, counts: TensorView, more: number): void {
  const { divideByCounts } = indexKernels(call);
  const elements = numel(sums.shape);
  call.step(() => divideByCounts(TYPES[dtype]!, addressOf(sums), addressOf(counts), elements, more));
}

/** Of a row, and of an element of one. */
const NANOSECONDS_ROW = 3;
const NANOSECONDS_EACH = 0.3;

/** Calls `write` for each element of `rows`, with its places in what is read and what is written, in row-major order. */
export function eachElement(
  call: KernelCall,
  rows: Rows,
  from: Side,
  to: Side,
  write: (from: number, to: number) => void,
): void {
  const levels = levelsOf(rows.shape, { from: from.strides, to: to.strides, at: rows.strides });
  const { i32 } = call.heap;
  const table = rows.buffer.handle / 4;
  const last = levels.at(-1)!;
  const inner = levels.at(-2) ?? ONCE;
  eachStart(levels, Math.min(levels.length, 2), (a, b, at) => {
    for (let i = 0; i < inner.count; i++) {
      const row = i32[table + at + i * inner.at]!;
      const source = a + i * inner.from + row * from.row;
      const target = b + i * inner.to + row * to.row;
      for (let k = 0; k < last.count; k++) write(source + k, target + k);
    }
  });
}
