import type { TensorView as View } from "@pt2/engine";
import { DTYPES } from "@pt2/format";

/** A strided view of WebAssembly memory. */
export type TensorView = View<number>;

/** How many elements of its dtype the buffer of a tensor has room for. */
export function elementsIn({ dtype, buffer }: Pick<TensorView, "dtype" | "buffer">): number {
  return Math.floor(buffer.bytes / DTYPES[dtype].itemsize);
}

/** Byte address of a tensor's first element, now. */
export function addressOf({ dtype, offset, buffer }: TensorView): number {
  return buffer.handle + offset * DTYPES[dtype].itemsize;
}
