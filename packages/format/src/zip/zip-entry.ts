import { formatError } from "../format-errors.ts";
import { checkLimit } from "../limits.ts";

const CENTRAL = 0x02014b50;
const CENTRAL_BYTES = 46;
/** The bytes of a local header before its name. */
export const LOCAL_BYTES = 30;
const ZIP64_FIELD = 0x0001;

/** An entry as the central directory describes it. */
export interface ZipEntry {
  readonly name: string;
  readonly nameBytes: number;
  readonly compressed: boolean;
  readonly crc32: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly headerOffset: number;
  /** The offset of the next entry's header, or of the directory: this entry ends at or before it. */
  readonly limit: number;
}

/** Parses and cross-checks the central directory: names are unique and no two entries share bytes. */
export function parseEntries(
  bytes: Uint8Array,
  count: number,
  directory: number,
  file: string | undefined,
): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: Mutable<ZipEntry>[] = [];
  const names = new Set<string>();
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (at + CENTRAL_BYTES > bytes.byteLength || view.getUint32(at, true) !== CENTRAL) {
      throw damaged(`entry ${index} of ${count} is missing from the zip directory`, file);
    }
    const nameBytes = view.getUint16(at + 28, true);
    const extraBytes = view.getUint16(at + 30, true);
    const next = at + CENTRAL_BYTES + nameBytes + extraBytes + view.getUint16(at + 32, true);
    if (next > bytes.byteLength) throw damaged(`entry ${index} reaches beyond the zip directory`, file);
    const entry = parseEntry(view, bytes, at, nameBytes, extraBytes);
    if (names.has(entry.name)) throw damaged(`the entry ${JSON.stringify(entry.name)} occurs twice`, file);
    names.add(entry.name);
    if (!entry.name.endsWith("/")) entries.push(entry);
    at = next;
  }
  checkOverlap(entries, directory);
  return entries;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function parseEntry(
  view: DataView,
  bytes: Uint8Array,
  at: number,
  nameBytes: number,
  extraBytes: number,
): Mutable<ZipEntry> {
  checkLimit("nameBytes", nameBytes, "zip directory");
  const nameStart = at + CENTRAL_BYTES;
  const name = new TextDecoder().decode(bytes.subarray(nameStart, nameStart + nameBytes));
  const flags = view.getUint16(at + 8, true);
  const method = view.getUint16(at + 10, true);
  if ((flags & 1) !== 0 || (method !== 0 && method !== 8)) {
    throw formatError("format.zip-unsupported", {
      what: (flags & 1) !== 0 ? "the entry is encrypted" : `the entry uses compression method ${method}`,
      where: name,
      advice: "store or deflate the entries; torch.export.save stores them",
      details: { method },
    });
  }
  let size = view.getUint32(at + 24, true);
  let compressedSize = view.getUint32(at + 20, true);
  let headerOffset = view.getUint32(at + 42, true);
  // The zip64 field holds only those values, in this order, that do not fit their 32 bits.
  let field = zip64Field(view, nameStart + nameBytes, extraBytes);
  const wide = (value: number): number => {
    if (value !== 0xffffffff) return value;
    if (field.length < 8) throw damaged("a zip64 value is missing", name);
    const result = u64(view, field.at, name);
    field = { at: field.at + 8, length: field.length - 8 };
    return result;
  };
  size = wide(size);
  compressedSize = wide(compressedSize);
  headerOffset = wide(headerOffset);
  const compressed = method === 8;
  if (!compressed && size !== compressedSize) throw damaged("a stored entry has two different sizes", name);
  const crc32 = view.getUint32(at + 16, true);
  return { name, nameBytes, compressed, crc32, compressedSize, size, headerOffset, limit: 0 };
}

function zip64Field(view: DataView, start: number, length: number): { at: number; length: number } {
  for (let at = start; at + 4 <= start + length; at += 4 + view.getUint16(at + 2, true)) {
    const bytes = Math.min(view.getUint16(at + 2, true), start + length - at - 4);
    if (view.getUint16(at, true) === ZIP64_FIELD) return { at: at + 4, length: bytes };
  }
  return { at: start, length: 0 };
}

function checkOverlap(entries: readonly Mutable<ZipEntry>[], directory: number): void {
  const byOffset = [...entries].sort((a, b) => a.headerOffset - b.headerOffset);
  for (const [index, entry] of byOffset.entries()) {
    const next = byOffset[index + 1];
    entry.limit = next?.headerOffset ?? directory;
    if (entry.headerOffset + LOCAL_BYTES + entry.nameBytes + entry.compressedSize > entry.limit) {
      throw formatError("format.overlap", {
        what: `the entry reaches into ${next === undefined ? "the zip directory" : JSON.stringify(next.name)}`,
        where: entry.name,
        advice: "the file is damaged or malicious",
      });
    }
  }
}

/** Reads a 64-bit field that must be an exact number. */
export function u64(view: DataView, at: number, where: string): number {
  const value = view.getBigUint64(at, true);
  if (value > BigInt(Number.MAX_SAFE_INTEGER))
    throw damaged(`the 64-bit value ${value} is too large for a file`, where);
  return Number(value);
}

function damaged(what: string, where: string | undefined): Error {
  return formatError("format.zip", { what, where, advice: "the file is damaged, copy or download it again" });
}
