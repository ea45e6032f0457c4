import { numel } from "@pt2/backend";
import { elementBytes } from "@pt2/engine";
import { forEachOffset, rowMajor, sameStrides } from "@pt2/engine/strides";
import { DTYPES, type DType } from "@pt2/format";
import type { Heap } from "./heap.ts";
import { addressOf, type Place } from "./place.ts";

/** Copies a tensor's elements out of the heap, row-major. */
export function readPlace(heap: Heap, place: Place): Uint8Array {
  const size = DTYPES[place.dtype].itemsize;
  const count = numel(place.shape);
  const address = addressOf(place);
  if (sameStrides(place.shape, place.strides, rowMajor(place.shape)))
    return heap.u8.slice(address, address + count * size);
  const out = new Uint8Array(count * size);
  const source = heap.u8;
  let to = 0;
  forEachOffset(place, (offset) => {
    const from = address + offset * size;
    for (let i = 0; i < size; i++) out[to++] = source[from + i]!;
  });
  return out;
}

/** Copies row-major bytes into a row-major place. */
export function writePlace(heap: Heap, place: Place, bytes: Uint8Array): void {
  heap.u8.set(bytes, addressOf(place));
}

/** Writes one number as an element of a dtype, converted as PyTorch does. */
export function writeElement(heap: Heap, dtype: DType, address: number, value: number | bigint): void {
  heap.u8.set(elementBytes(dtype, value), address);
}
