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

/** A dimension, and how many words apart its neighbors are read and written. */
interface Axis {
  readonly size: number;
  readonly from: number;
  readonly to: number;
}

const ONCE: Axis = { size: 1, from: 0, to: 0 };

/** Words of a run that are copied at once: fewer are copied sooner one by one. */
const RUN_WORDS = 64;

/**
 * Where columns of a row span more than `WIDE` words, they are read in strips that span `NARROW`, or have so many columns at least: a
 * cache line is there until all of it is read.
 */
const STRIP = 8;
const WIDE = 32 * 1024;
const NARROW = 4 * 1024;

/** Fewer columns than these are copied one after the other, of so many rows at a time. */
const FEW = 8;
const STRIP_ROWS = 1024;

/** Copies elements of `perElement` words, the first of which begins at word `first`, to the front of `out`, row-major. */
function copyRows({ shape, strides }: Layout, source: Words, first: number, out: Words, perElement: number): void {
  const dense = contiguousStrides(shape);
  const axes = shape.flatMap((size, d): readonly Axis[] =>
    size === 1 ? [] : [{ size, from: strides[d]! * perElement, to: dense[d]! * perElement }],
  );
  const columns = axes.pop() ?? ONCE;
  const steps = axes.map(({ from }) => Math.abs(from));
  const nearest = steps.indexOf(Math.min(...steps));
  const isAcross = steps[nearest]! < Math.abs(columns.from);
  const [rows = ONCE] = axes.splice(isAcross ? nearest : -1, 1);
  const step = Math.abs(columns.from);
  const strip = isAcross && columns.size * step > WIDE ? Math.max(STRIP, Math.floor(NARROW / step)) : columns.size;
  const walk = (depth: number, p: number, q: number): void => {
    const axis = axes[depth];
    if (axis !== undefined) {
      for (let i = 0; i < axis.size; i++) walk(depth + 1, p + i * axis.from, q + i * axis.to);
      return;
    }
    for (let c = 0; c < columns.size; c += strip) {
      const part = { ...columns, size: Math.min(strip, columns.size - c) };
      copyPlane(source, p + c * columns.from, out, q + c * columns.to, rows, part);
    }
  };
  walk(0, first, 0);
}

function copyPlane(source: Words, p: number, out: Words, q: number, rows: Axis, columns: Axis): void {
  const { size, from, to } = columns;
  if (to === 1 && size < FEW && rows.size > size) {
    copyFew(source, p, out, q, rows, columns);
    return;
  }
  const words = size * to;
  const isRun = from === to && words >= RUN_WORDS;
  for (let r = 0; r < rows.size; r++, p += rows.from, q += rows.to) {
    if (isRun) out.set(source.subarray(p, p + words), q);
    else {
      for (let k = 0; k < to; k++) {
        for (let i = k, at = p + k; i < words; i += to, at += from) out[q + i] = source[at]!;
      }
    }
  }
}

/** Copies rows of few columns, such as the colors of pixels, of single words: one column of many rows after the other. */
function copyFew(source: Words, p: number, out: Words, q: number, rows: Axis, { size, from }: Axis): void {
  for (let first = 0; first < rows.size; first += STRIP_ROWS) {
    const end = Math.min(first + STRIP_ROWS, rows.size);
    for (let c = 0; c < size; c++) {
      let [at, to] = [p + c * from + first * rows.from, q + c + first * rows.to];
      for (let r = first; r < end; r++, at += rows.from, to += rows.to) out[to] = source[at]!;
    }
  }
}

/** Copies row-major bytes to a row-major view. */
export function writeView(heap: HeapArrays, view: TensorView, bytes: Uint8Array): void {
  heap.u8.set(bytes, addressOf(view));
}
