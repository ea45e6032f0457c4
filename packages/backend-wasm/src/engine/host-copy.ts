import { numel } from "@pt2/backend";
import { type Layout, sameStrides } from "@pt2/engine";
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
  const Words = size === 1 ? Uint8Array : size === 2 ? Uint16Array : Uint32Array;
  const source = new Words(heap.memory.buffer);
  const out = new Uint8Array(count * size);
  copyRows(view, source, address / Words.BYTES_PER_ELEMENT, new Words(out.buffer), size / Words.BYTES_PER_ELEMENT);
  return out;
}

type Words = Uint8Array | Uint16Array | Uint32Array;

/** Copies elements of `perElement` words, the first of which begins at word `first`, to the front of `out`, row-major. */
function copyRows(layout: Layout, source: Words, first: number, out: Words, perElement: number): void {
  const shape = layout.shape.filter((size) => size !== 1);
  const strides = layout.strides.flatMap((stride, d) => (layout.shape[d] === 1 ? [] : [stride * perElement]));
  const width = shape.at(-1)! * perElement;
  const copy = (dim: number, from: number, to: number): number => {
    const [size, stride] = [shape[dim]!, strides[dim]!];
    if (dim < shape.length - 1) {
      for (let i = 0; i < size; i++) to = copy(dim + 1, from + i * stride, to);
      return to;
    }
    for (let k = 0; k < perElement; k++) {
      for (let i = k, at = from + k; i < width; i += perElement, at += stride) out[to + i] = source[at]!;
    }
    return to + width;
  };
  copy(0, first, 0);
}

/** Copies row-major bytes to a row-major view. */
export function writeView(heap: HeapArrays, view: TensorView, bytes: Uint8Array): void {
  heap.u8.set(bytes, addressOf(view));
}
