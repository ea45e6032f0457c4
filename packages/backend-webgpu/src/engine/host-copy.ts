import type { HostData } from "@pt2/engine";
import { inParts } from "@pt2/engine";
import { isContiguous, numel, reachOf } from "@pt2/format";
import { storageOf } from "../wgsl/storage.ts";
import type { Adapter } from "./adapter.ts";
import { fromGpu, toGpu } from "./element-bytes.ts";
import type { GuardWords } from "./guard-words.ts";
import type { Range, Stream } from "./stream.ts";
import type { TensorView } from "./tensor-view.ts";

/** Copies tensors to host memory, row-major. Fails if one of the guards reported something. */
export async function readViews(
  stream: Stream,
  tensors: readonly TensorView[],
  adapter: Adapter,
  guards: readonly GuardWords[] = [],
): Promise<readonly HostData[]> {
  const views = tensors.map(inParts);
  const spans = views.map((view) => spanOf(view, adapter));
  const words = guards.flatMap(({ range }) => (range === null ? [] : [range]));
  if (spans.length + words.length === 0) return [];
  const read = await stream.read([...spans, ...words]);
  for (const [i, guard] of guards.entries()) guard.check(read[spans.length + i]!);
  return views.map((view, i) => {
    const { dtype, shape } = tensors[i]!;
    const { bytes: size } = storageOf(view.dtype, adapter);
    const first = view.offset - spans[i]!.offset / size;
    const elements = gather(read[i]!, size, { ...view, offset: first });
    return { dtype, shape, bytes: fromGpu(dtype, elements, adapter) };
  });
}

/**
 * Writes row-major elements of the dtype's own bytes to a row-major view. `what` names the tensor when a value is
 * refused.
 */
export function writeView(stream: Stream, view: TensorView, bytes: Uint8Array, adapter: Adapter, what: string): void {
  const { dtype, offset, buffer } = view;
  const elements = toGpu(dtype, bytes, what, adapter);
  stream.write(buffer.handle, padded(elements), offset * storageOf(dtype, adapter).bytes);
}

/** Writes are in whole words; a buffer has room for a last one. */
function padded(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (bytes.byteLength % 4 === 0) return bytes;
  const out = new Uint8Array(Math.ceil(bytes.byteLength / 4) * 4);
  out.set(bytes);
  return out;
}

/** Returns the part of its buffer that a tensor lies in, in whole words. */
export function spanOf(view: TensorView, adapter: Adapter): Range {
  const buffer = view.buffer.handle;
  const { first, last } = reachOf(view);
  if (last < first) return { buffer, offset: 0, size: 0 };
  const { bytes } = storageOf(view.dtype, adapter);
  const start = Math.floor((first * bytes) / 4) * 4;
  return { buffer, offset: start, size: Math.ceil(((last + 1) * bytes) / 4) * 4 - start };
}

/** Returns the row-major elements of a strided tensor. */
function gather(from: Uint8Array<ArrayBuffer>, size: number, view: TensorView): Uint8Array<ArrayBuffer> {
  const { shape, strides, offset } = view;
  const count = numel(shape);
  if (isContiguous(view)) return from.slice(offset * size, (offset + count) * size);
  const [source, out] =
    size === 2
      ? [new Uint16Array(from.buffer), new Uint16Array(count)]
      : [new Uint32Array(from.buffer), new Uint32Array(count)];
  const index = new Array<number>(shape.length).fill(0);
  let at = offset;
  for (let i = 0; i < count; i++) {
    out[i] = source[at]!;
    for (let d = shape.length - 1; d >= 0; d--) {
      at += strides[d]!;
      if (++index[d]! < shape[d]!) break;
      at -= strides[d]! * shape[d]!;
      index[d] = 0;
    }
  }
  return new Uint8Array(out.buffer);
}
