import { numel } from "@pt2/backend";
import { forEachOffset, sameStrides } from "@pt2/engine";
import { contiguousStrides, DTYPES } from "@pt2/format";
import type { HeapArrays } from "./heap.ts";
import { addressOf, type TensorView } from "./tensor-view.ts";

/** Copies a tensor's elements out of the heap, row-major. */
export function readView(heap: HeapArrays, view: TensorView): Uint8Array {
  const size = DTYPES[view.dtype].itemsize;
  const count = numel(view.shape);
  const address = addressOf(view);
  if (sameStrides(view.shape, view.strides, contiguousStrides(view.shape)))
    return heap.u8.slice(address, address + count * size);
  const out = new Uint8Array(count * size);
  const source = heap.u8;
  let to = 0;
  forEachOffset(view, (offset) => {
    const from = address + offset * size;
    for (let i = 0; i < size; i++) out[to++] = source[from + i]!;
  });
  return out;
}

/** Copies row-major bytes to a row-major view. */
export function writeView(heap: HeapArrays, view: TensorView, bytes: Uint8Array): void {
  heap.u8.set(bytes, addressOf(view));
}
