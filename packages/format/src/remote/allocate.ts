import { formatError } from "../format-errors.ts";

/** Allocates the bytes that a server announces, which may be more than the memory. */
export function allocate(bytes: number, where: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(bytes);
  } catch (cause) {
    throw formatError("format.io", {
      what: `${bytes} bytes cannot be allocated`,
      where,
      advice: "check that the address is the right file; in Node, load it from a path",
      cause,
    });
  }
}
