import type { ByteSource, ReadOptions } from "../byte-source.ts";

/** The bytes at the end of an archive that hold the names, sizes and checksums of its entries. */
const TAIL = 64 * 1024;

/** Identifies an archive by a hash of its size and its end. */
export async function archiveId(source: ByteSource, options?: Pick<ReadOptions, "signal">): Promise<string> {
  const length = Math.min(TAIL, source.size);
  const tail = await source.read(source.size - length, length, options);
  const hashed = new Uint8Array(length + 8);
  hashed.set(tail);
  new DataView(hashed.buffer).setBigUint64(length, BigInt(source.size));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", hashed));
  return Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
