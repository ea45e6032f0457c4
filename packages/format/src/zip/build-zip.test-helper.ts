import { crc32 } from "./crc32.ts";

/** An entry of a test zip; what is left out is right. */
export interface TestEntry {
  readonly name: string;
  /** The stored bytes, compressed if `method` is a compression. */
  readonly data: Uint8Array;
  readonly method?: number;
  readonly flags?: number;
  readonly size?: number;
  readonly crc?: number;
}

export interface TestZipOptions {
  /** Zero sizes in local headers, true ones behind the data. */
  readonly descriptors?: boolean;
  /** Bytes of padding in local headers only. */
  readonly localExtra?: number;
  readonly comment?: string;
  /** All values in zip64 fields. */
  readonly zip64?: boolean;
  /** Every directory entry points at the first entry. */
  readonly sameOffset?: boolean;
}

const u16 = (value: number): number[] => [value & 255, value >>> 8];
const u32 = (value: number): number[] => [...u16(value & 0xffff), ...u16(value >>> 16)];
const u64 = (value: number): number[] => [...u32(value % 2 ** 32), ...u32(Math.floor(value / 2 ** 32))];

/** Builds zips that the product's own writer would never write. */
export function buildZip(entries: readonly TestEntry[], options: TestZipOptions = {}): Uint8Array {
  const file: number[] = [];
  const directory: number[] = [];
  for (const entry of entries) {
    const offset = options.sameOffset ? 0 : file.length;
    const name = [...new TextEncoder().encode(entry.name)];
    const { data, method = 0, size = data.length, crc = crc32(data) } = entry;
    const flags = (entry.flags ?? 0) | (options.descriptors ? 8 : 0);
    const padding = options.localExtra ?? 0;
    const local = options.descriptors ? [0, 0, 0] : [crc, data.length, size];
    file.push(...u32(0x04034b50), ...u16(20), ...u16(flags), ...u16(method), ...u32(0), ...local.flatMap(u32));
    file.push(...u16(name.length), ...u16(padding), ...name, ...new Array<number>(padding).fill(0x5a));
    for (const byte of data) file.push(byte);
    if (options.descriptors) file.push(...u32(0x08074b50), ...u32(crc), ...u32(data.length), ...u32(size));

    const wide = options.zip64 ? [size, data.length, offset] : [];
    const extra = wide.length === 0 ? [] : [...u16(1), ...u16(24), ...wide.flatMap(u64)];
    const shown = options.zip64 ? [0xffffffff, 0xffffffff] : [data.length, size];
    directory.push(...u32(0x02014b50), ...u16(20), ...u16(20), ...u16(flags), ...u16(method), ...u32(0), ...u32(crc));
    directory.push(...shown.flatMap(u32), ...u16(name.length), ...u16(extra.length), ...u16(0), ...u16(0), ...u16(0));
    directory.push(...u32(0), ...u32(options.zip64 ? 0xffffffff : offset), ...name, ...extra);
  }
  const [start, count] = [file.length, entries.length];
  file.push(...directory);
  if (options.zip64) {
    const at = file.length;
    file.push(...u32(0x06064b50), ...u64(44), ...u16(45), ...u16(45), ...u32(0), ...u32(0));
    file.push(...[count, count, directory.length, start].flatMap(u64));
    file.push(...u32(0x07064b50), ...u32(0), ...u64(at), ...u32(1));
  }
  const end = options.zip64 ? [0xffffffff, 0xffffffff] : [directory.length, start];
  const shownCount = options.zip64 ? 0xffff : count;
  const comment = [...new TextEncoder().encode(options.comment ?? "")];
  file.push(...u32(0x06054b50), ...u16(0), ...u16(0), ...u16(shownCount), ...u16(shownCount), ...end.flatMap(u32));
  file.push(...u16(comment.length), ...comment);
  return Uint8Array.from(file);
}
