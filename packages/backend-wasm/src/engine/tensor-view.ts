import type { TensorView as View } from "@pt2/engine";
import { DTYPES } from "@pt2/format";

/** A strided view of WebAssembly memory. */
export type TensorView = View<number>;

/** Returns how many elements of its dtype the buffer of a tensor has room for. */
export function elementsIn({ dtype, buffer }: Pick<TensorView, "dtype" | "buffer">): number {
  return Math.floor(buffer.bytes / DTYPES[dtype].itemsize);
}

/** Returns the current byte address of a tensor's first element. */
export function addressOf({ dtype, offset, buffer }: TensorView): number {
  return buffer.handle + offset * DTYPES[dtype].itemsize;
}
