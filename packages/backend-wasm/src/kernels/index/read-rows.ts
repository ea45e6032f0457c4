import { numel } from "@pt2/backend";
import { contiguousStrides } from "@pt2/format";
import type { KernelCall } from "../../engine/kernel.ts";
import { readIndices } from "../../engine/read-indices.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { indexKernels } from "./index-module.ts";

/** Checked positions along a dimension: a table of 32-bit integers, of which a shape is a view. */
export interface Rows {
  readonly shape: readonly number[];
  /** In integers; 0 where a dimension is expanded: each of its positions is there once. */
  readonly strides: readonly number[];
  readonly buffer: ReturnType<KernelCall["scratch"]>;
}

/** Reads positions once, however often the index is expanded, and checks them before anything that is planned later. */
export function planRows(call: KernelCall, index: TensorView, dimension: Parameters<typeof readIndices>[3]): Rows {
  const shape = index.shape.map((size, d) => (index.strides[d] === 0 ? Math.min(size, 1) : size));
  const once = call.dense({ ...index, shape });
  const count = numel(shape);
  const buffer = call.scratch(4 * count);
  const { size, wraps } = dimension;
  const { readRows } = indexKernels(call);
  call.step(() => {
    const isRead =
      once.dtype === "int64" && readRows(addressOf(once), buffer.handle, count, wraps === true ? -size : 0, size) === 1;
    // The other way reads other dtypes, and finds the position that is refused.
    if (!isRead) readIndices(call, once, new Int32Array(call.heap.memory.buffer, buffer.handle, count), dimension);
  });
  const strides = contiguousStrides(shape).map((stride, d) => (shape[d] === 1 ? 0 : stride));
  return { shape: index.shape, strides, buffer };
}
