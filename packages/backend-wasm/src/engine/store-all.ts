import { isDeviceData, sameStrides, type TensorData } from "@pt2/engine";
import { contiguousStrides, DTYPES, numel } from "@pt2/format";
import type { HeapArrays } from "./heap.ts";
import { readView, writeView } from "./host-copy.ts";
import { addressOf, type TensorView } from "./tensor-view.ts";

/** A value for a buffer or a parameter: bytes, or where in the heap it is. */
interface Write {
  readonly target: string;
  readonly data: TensorData;
}

/**
 * Stores results of a run in buffers, within the heap. A result may itself be a buffer that another write changes (two
 * buffers that are exchanged): such values are copied first. `commit` gives what changes only a part of a buffer instead.
 */
export function storeAll(
  heap: HeapArrays,
  writes: readonly Write[],
  buffers: ReadonlyMap<string, TensorView>,
  commit: (from: TensorView, to: TensorView) => (() => void) | undefined,
): void {
  const changed = new Set([...buffers.values()].map(({ buffer }) => buffer));
  const ready = writes.map(({ target, data }) => {
    const to = buffers.get(target)!;
    if (!isDeviceData(data)) return () => writeView(heap, to, data.bytes);
    const from = data.handle as TensorView;
    const committing = commit(from, to);
    if (committing !== undefined) return committing;
    const isDense = sameStrides(from.shape, from.strides, contiguousStrides(from.shape));
    if (!isDense || changed.has(from.buffer)) {
      const bytes = readView(heap, from);
      return () => writeView(heap, to, bytes);
    }
    return () => {
      const start = addressOf(from);
      heap.u8.copyWithin(addressOf(to), start, start + numel(from.shape) * DTYPES[from.dtype].itemsize);
    };
  });
  for (const store of ready) store();
}
