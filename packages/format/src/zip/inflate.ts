import { Inflate } from "fflate";
import { formatError } from "../format-errors.ts";
import { checkLimit, LIMITS } from "../limits.ts";
import type { ZipEntry } from "./zip-entry.ts";

/** The number of bytes inflated at a time. */
const INFLATE_STEP = 16_384;

/** Inflates a compressed entry. */
export function inflate(entry: ZipEntry, bytes: Uint8Array): Uint8Array {
  if (entry.size > LIMITS.inflateFreeBytes) {
    checkLimit("inflateRatio", Math.ceil(entry.size / Math.max(1, bytes.byteLength)), entry.name);
  }
  const out = new Uint8Array(entry.size);
  let total = 0;
  let cause: unknown;
  try {
    const stream = new Inflate((chunk) => {
      if (total + chunk.byteLength <= out.byteLength) out.set(chunk, total);
      total += chunk.byteLength;
    });
    // In steps, so that an entry that is longer than declared stops soon after its declared size.
    for (let at = 0; at < bytes.byteLength && total <= entry.size; at += INFLATE_STEP) {
      stream.push(bytes.subarray(at, at + INFLATE_STEP), at + INFLATE_STEP >= bytes.byteLength);
    }
    if (total === entry.size) return out;
  } catch (error) {
    cause = error;
  }
  throw formatError("format.zip", {
    what: `the compressed data is damaged or does not have the declared ${entry.size} bytes`,
    where: entry.name,
    advice: "the file is damaged, copy or download it again",
    cause,
  });
}
