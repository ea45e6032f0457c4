import { numel, viewAs } from "@pt2/backend";
import { DTYPES, type DType, floatToBits, isSmallFloat } from "@pt2/format";
import { convert } from "@pt2/registry/scalar";
import type { Heap } from "./heap.ts";
import { addressOf, type Place, rowMajor, sameStrides } from "./place.ts";

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

/** One element of a dtype, little-endian; a complex one has no imaginary part. */
export function elementBytes(dtype: DType, value: number | bigint): Uint8Array {
  const bytes = new Uint8Array(DTYPES[dtype].itemsize);
  const array = viewAs(dtype, bytes);
  if (isSmallFloat(dtype)) array[0] = floatToBits(dtype, Number(value));
  else if (DTYPES[dtype].kind === "complex") array[0] = Number(value);
  else {
    const converted = convert(dtype, value);
    array[0] = typeof converted === "boolean" ? Number(converted) : converted;
  }
  return bytes;
}

/** Calls back with the element offset (relative to the tensor's first) of each element in row-major order. */
export function forEachOffset(
  { shape, strides }: Pick<Place, "shape" | "strides">,
  visit: (offset: number) => void,
): void {
  const rank = shape.length;
  if (shape.some((size) => size === 0)) return;
  const index = new Array<number>(rank).fill(0);
  let offset = 0;
  for (;;) {
    visit(offset);
    let dim = rank - 1;
    for (; dim >= 0; dim--) {
      index[dim]!++;
      offset += strides[dim]!;
      if (index[dim]! < shape[dim]!) break;
      offset -= strides[dim]! * shape[dim]!;
      index[dim] = 0;
    }
    if (dim < 0) return;
  }
}
