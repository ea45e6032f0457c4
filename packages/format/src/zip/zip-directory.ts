import type { ByteSource, ReadOptions } from "../byte-source.ts";
import { formatError } from "../format-errors.ts";
import { checkLimit } from "../limits.ts";
import type { ByteRange } from "../remote/byte-range.ts";
import { parseEntries, u64, type ZipEntry } from "./zip-entry.ts";

const EOCD = 0x06054b50;
const ZIP64_LOCATOR = 0x07064b50;
const ZIP64_EOCD = 0x06064b50;
const EOCD_BYTES = 22;
const LOCATOR_BYTES = 20;
const ZIP64_EOCD_BYTES = 56;
/**
 * One read that holds the end record behind the longest comment, and with it the small entries that PyTorch writes
 * last.
 */
const TAIL_BYTES = 0xffff + EOCD_BYTES + LOCATOR_BYTES + ZIP64_EOCD_BYTES;

/** The directory of a zip, and its source with the tail cached in memory. */
export interface ZipDirectory {
  readonly entries: readonly ZipEntry[];
  readonly source: ByteSource;
}

/** Reads the central directory; returns undefined when the source is not a zip. */
export async function readDirectory(source: ByteSource, options?: ReadOptions): Promise<ZipDirectory | undefined> {
  const tailStart = Math.max(0, source.size - TAIL_BYTES);
  const tail = await source.read(tailStart, source.size - tailStart, options);
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  const end = findEnd(view);
  if (end === undefined) return undefined;
  const cached = withTail(source, tail, tailStart);
  const where = await locate(view, end, tailStart, cached, options);

  const { count, size, offset } = where;
  checkLimit("zipEntries", count, "zip directory");
  checkLimit("zipDirectoryBytes", size, "zip directory");
  if (offset + size > where.limit) {
    throw formatError("format.zip", {
      what: `the zip directory (${size} bytes at ${offset}) does not lie before its end record at ${where.limit}`,
      where: source.name,
      advice: "the file is incomplete or damaged, copy it again",
    });
  }
  const bytes = await cached.read(offset, size, options);
  return { entries: parseEntries(bytes, count, offset, source.name), source: cached };
}

/** Finds the last end record whose comment reaches exactly to the end of the file; returns its position in the tail. */
function findEnd(view: DataView): number | undefined {
  for (let at = view.byteLength - EOCD_BYTES; at >= 0; at--) {
    if (view.getUint32(at, true) !== EOCD) continue;
    if (at + EOCD_BYTES + view.getUint16(at + 20, true) === view.byteLength) return at;
  }
  return undefined;
}

interface DirectoryPlace {
  readonly count: number;
  readonly size: number;
  readonly offset: number;
  /** The position that the directory must end at or before. */
  readonly limit: number;
}

async function locate(
  view: DataView,
  end: number,
  tailStart: number,
  source: ByteSource,
  options: ReadOptions | undefined,
): Promise<DirectoryPlace> {
  const disks = view.getUint16(end + 4, true) | view.getUint16(end + 6, true);
  const classic = {
    count: view.getUint16(end + 10, true),
    size: view.getUint32(end + 12, true),
    offset: view.getUint32(end + 16, true),
    limit: tailStart + end,
  };
  const locator = end - LOCATOR_BYTES;
  if (locator >= 0 && view.getUint32(locator, true) === ZIP64_LOCATOR) {
    const at = u64(view, locator + 8, "zip64 locator");
    const bytes = await source.read(at, ZIP64_EOCD_BYTES, options);
    const record = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (record.getUint32(0, true) !== ZIP64_EOCD || at > tailStart + locator) {
      throw formatError("format.zip", {
        what: "the zip64 end record is not where its locator says",
        where: source.name,
      });
    }
    return {
      count: u64(record, 32, "zip64 end record"),
      size: u64(record, 40, "zip64 end record"),
      offset: u64(record, 48, "zip64 end record"),
      limit: at,
    };
  }
  const overflow = classic.count === 0xffff || classic.size === 0xffffffff || classic.offset === 0xffffffff;
  if (overflow || (disks !== 0 && disks !== 0xffff)) {
    throw formatError(overflow ? "format.zip" : "format.zip-unsupported", {
      what: overflow ? "the zip64 end record is missing" : "the zip spans several disks",
      where: source.name,
    });
  }
  return classic;
}

function withTail(source: ByteSource, tail: Uint8Array, start: number): ByteSource {
  return {
    size: source.size,
    ...(source.name === undefined ? {} : { name: source.name }),
    ...(source.origin === undefined ? {} : { origin: source.origin }),
    async read(offset, length, options) {
      const held = offset >= start && offset + length <= start + tail.byteLength && options?.into === undefined;
      return held ? tail.subarray(offset - start, offset - start + length) : source.read(offset, length, options);
    },
    ...(source.crc32 === undefined ? {} : { crc32: source.crc32 }),
    ...(source.scatter === undefined ? {} : { scatter: source.scatter.bind(source) }),
    ...(source.expect !== undefined && {
      expect: (ranges: readonly ByteRange[], of?: ReadOptions) =>
        source.expect!(
          ranges.filter(({ offset }) => offset < start),
          of,
        ),
    }),
    async close() {
      await source.close?.();
    },
  };
}
