import { numel } from "@pt2/backend";
import { broadcastShape, broadcastStrides } from "@pt2/engine";
import { contiguousStrides } from "@pt2/format";
import type { KernelCall } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import type { Side } from "./index-rows.ts";
import { eachStart, levelsOf } from "./levels.ts";
import { planRows, type Rows } from "./read-rows.ts";

/** A tensor of positions along a dimension. */
export interface IndexOfDim {
  readonly dim: number;
  readonly view: TensorView;
}

/** `self[i, :, j]` with index tensors: the rows that tuples of their elements choose, and the tensor that these are of. */
export interface Tuples {
  /** Of the shape of the result: kept dimensions, those of the indices together, and the other kept ones. */
  readonly rows: Rows;
  readonly chosen: Side;
}

/** Plans the check of index tensors, and one position for each tuple of them. Negative ones count from the end where `wraps`. */
export function planTuples(call: KernelCall, self: TensorView, indices: readonly IndexOfDim[], wraps: boolean): Tuples {
  const common = broadcastShape(indices.map(({ view }) => view.shape));
  const tables = indices.map(({ dim, view }) => {
    const index = { ...view, shape: common, strides: broadcastStrides(view, common) };
    const row = self.strides[dim] ?? 0;
    return { row, rows: planRows(call, index, { dim, size: self.shape[dim] ?? 1, wraps }) };
  });
  const { row, rows } = tables.length === 1 ? tables[0]! : { row: 1, rows: added(call, common, tables) };
  const [lead, rest] = keptDims(
    self,
    indices.map(({ dim }) => dim),
  );
  const around = (values: readonly number[], between: readonly number[]): readonly number[] => [
    ...lead.map((d) => values[d]!),
    ...between,
    ...rest.map((d) => values[d]!),
  ];
  const none = common.map(() => 0);
  return {
    rows: {
      shape: around(self.shape, common),
      strides: around(
        self.shape.map(() => 0),
        rows.strides,
      ),
      buffer: rows.buffer,
    },
    chosen: { view: self, strides: around(self.strides, none), row },
  };
}

/** Adds up how far the positions of each tuple lie from the start, in elements. */
function added(
  call: KernelCall,
  shape: readonly number[],
  tables: readonly { readonly row: number; readonly rows: Rows }[],
): Rows {
  const count = numel(shape);
  const buffer = call.scratch(4 * count);
  const strides = contiguousStrides(shape);
  const parts = tables.map(({ row, rows }) => {
    const levels = levelsOf(shape, { from: rows.strides, to: strides, at: [] });
    return { row, rows, levels: levels.length > 1 && levels.at(-1)!.count === 1 ? levels.slice(0, -1) : levels };
  });
  call.step(() => {
    const { i32 } = call.heap;
    i32.fill(0, buffer.handle / 4, buffer.handle / 4 + count);
    for (const { row, rows, levels } of parts) {
      const last = levels.at(-1)!;
      eachStart(levels, 1, (p, q) => {
        let [from, to] = [rows.buffer.handle / 4 + p, buffer.handle / 4 + q];
        for (const end = to + last.count * last.to; to < end; from += last.from, to += last.to) {
          i32[to]! += row * i32[from]!;
        }
      });
    }
  });
  return { shape, strides, buffer };
}

/** Kept dimensions before and behind the indexed ones. Indices apart from each other move to the front. */
function keptDims(self: TensorView, dims: readonly number[]): readonly [readonly number[], readonly number[]] {
  const adjacent = dims.every((d, i) => d === dims[0]! + i);
  const kept = [...self.shape.keys()].filter((d) => !dims.includes(d));
  return adjacent ? [kept.filter((d) => d < dims[0]!), kept.filter((d) => d > dims[0]!)] : [[], kept];
}
