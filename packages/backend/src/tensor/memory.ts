import { backendError } from "../backend-errors.ts";

/**
 * Throws where a tensor has elements and its memory has none: the buffer of its array was transferred to another
 * thread, or made smaller.
 */
export function requireMemory(
  { shape, bytes }: { readonly shape: readonly number[]; readonly bytes: Uint8Array | null },
  where?: string,
): void {
  if (bytes?.byteLength !== 0 || shape.includes(0)) return;
  throw backendError("backend.tensor-memory", {
    what: "The memory of the tensor was transferred",
    where,
    advice: "Transfer a copy.",
  });
}
