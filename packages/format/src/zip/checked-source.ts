import type { ByteSource, Crc32, ReadOptions } from "../byte-source.ts";
import { formatError } from "../format-errors.ts";
import type { ZipEntry } from "./zip-entry.ts";

/** Throws when bytes of an entry do not match its checksum. PyTorch can skip checksums, and writes 0 then. */
export function requireChecksum(entry: ZipEntry, actual: number): void {
  if (actual === entry.crc32 || entry.crc32 === 0) return;
  throw formatError("format.checksum", {
    what: "the entry's bytes do not match its CRC-32",
    where: entry.name,
    advice: "the file is damaged, copy or download it again",
  });
}

/**
 * Creates a source over an entry that is read in pieces. Its checksum is compared after the last piece, if they were
 * read in order.
 */
export function checkedSource(source: ByteSource, entry: ZipEntry, crc32: Crc32): ByteSource {
  let next = 0;
  let crc = 0;
  return {
    ...source,
    async read(offset: number, length: number, options?: ReadOptions): Promise<Uint8Array> {
      const bytes = await source.read(offset, length, options);
      if (offset !== next) return bytes;
      crc = crc32(bytes, crc);
      next += length;
      if (next === source.size) requireChecksum(entry, crc);
      return bytes;
    },
  };
}
