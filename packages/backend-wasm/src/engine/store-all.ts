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
 * buffers that are exchanged): such values are copied first. What `isUpdate` says of a result and its buffer is left out.
 */
export function storeAll(
  heap: HeapArrays,
  writes: readonly Write[],
  buffers: ReadonlyMap<string, TensorView>,
  isUpdate: (from: TensorView, to: TensorView) => boolean,
): void {
  const changed = new Set([...buffers.values()].map(({ buffer }) => buffer));
  const ready = writes.flatMap(({ target, data }): (() => void) | [] => {
    const to = buffers.get(target)!;
    if (!isDeviceData(data)) return () => writeView(heap, to, data.bytes);
    const from = data.handle as TensorView;
    if (isUpdate(from, to)) return [];
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
