import type { Storage } from "./weight-tensor.ts";

/**
 * Creates a storage whose bytes are not in a file, for the weights of a program that was made in memory. `bytes` is called by each
 * read, and returns `nbytes` bytes, little-endian, which the reader may not write to.
 */
export function memoryStorage(id: string, nbytes: number, bytes: () => Uint8Array): Storage {
  return {
    id,
    entry: id,
    nbytes,
    async read({ into, signal } = {}) {
      signal?.throwIfAborted();
      if (into === undefined) return bytes();
      into.set(bytes());
      return into.subarray(0, nbytes);
    },
  };
}
