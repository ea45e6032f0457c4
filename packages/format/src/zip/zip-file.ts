import {
  type ByteSource,
  type Crc32,
  deliver,
  fromBytes,
  type ReadOptions,
  type SourceOrigin,
  slice,
} from "../byte-source.ts";
import { formatError } from "../format-errors.ts";
import type { ByteRange } from "../remote/byte-range.ts";
import type { FarStorages } from "../weight-tensor.ts";
import { checkedSource, requireChecksum } from "./checked-source.ts";
import { ScatterReads } from "./scatter-reads.ts";
import { readDirectory } from "./zip-directory.ts";
import { LOCAL_BYTES, type ZipEntry } from "./zip-entry.ts";

const LOCAL = 0x04034b50;
/** PyTorch aligns data to 64 bytes in the file; reading from such a position keeps that alignment in memory. */
const ALIGNMENT = 64;
/** The usual size of a local extra field: up to 63 bytes of padding and 28 of zip64. */
const USUAL_EXTRA = 128;
/**
 * The bytes read from both ends of a zip inside a zip: the pickle that `torch.save` writes first, and the directory.
 */
const INSIDE_HEAD = 64 * 1024;
const INSIDE_TAIL = 66 * 1024;
/** The identifier and length before the content of an extra field. */
const EXTRA_HEADER_BYTES = 4;

/** An open zip: entries are found in its directory and read on demand. */
export class ZipFile {
  readonly entries: ReadonlyMap<string, ZipEntry>;
  readonly source: ByteSource;
  /** Entries that back storages, by the storage's id. */
  readonly storages: Map<string, ZipEntry> = new Map();
  /** Announces reads of its storages, where reads take long. */
  readonly far: FarStorages = {
    expect: (ids, options) =>
      this.expect(
        ids.flatMap((id) => this.storages.get(id) ?? []),
        options,
      ),
  };
  /** Computes checksums of what is read; null where it is not verified. */
  readonly #crc32: Crc32 | null;
  readonly #batch: ScatterReads | undefined;
  /** Whether the last header put its data where PyTorch's writer does. */
  #usual = false;

  constructor(source: ByteSource, entries: readonly ZipEntry[], crc32: Crc32 | null) {
    this.source = source;
    this.entries = new Map(entries.map((entry) => [entry.name, entry]));
    this.#crc32 = crc32;
    this.#batch = source.scatter && new ScatterReads(source.scatter.bind(source));
  }

  /** Opens a zip; returns undefined when the source is not one. */
  static async open(source: ByteSource, verify: boolean, options?: ReadOptions): Promise<ZipFile | undefined> {
    const [directory, crc32] = await Promise.all([readDirectory(source, options), verify ? crc32Of(source) : null]);
    return directory && new ZipFile(directory.source, directory.entries, crc32);
  }

  /** Reads the bytes of an entry. */
  async read(entry: ZipEntry, options?: ReadOptions): Promise<Uint8Array> {
    const stored = await this.#readStored(entry, entry.compressed ? { signal: options?.signal } : options);
    const bytes = entry.compressed ? deliver(await inflated(entry, stored), options) : stored;
    if (this.#crc32 !== null) requireChecksum(entry, this.#crc32(bytes));
    return bytes;
  }

  /** Opens an entry as a source of its own, without reading it when it is stored. */
  async slice(entry: ZipEntry, options?: ReadOptions): Promise<ByteSource> {
    if (entry.compressed) return { ...fromBytes(await this.read(entry, options)), name: entry.name };
    const header = await this.source.read(entry.headerOffset, LOCAL_BYTES, options);
    const stored = slice(this.source, this.#dataOffset(entry, header), entry.size, entry.name);
    return this.#crc32 === null ? stored : checkedSource(stored, entry, this.#crc32);
  }

  /**
   * Returns where a stored entry's bytes start in the source's origin; null when it is compressed or verified, or has
   * no origin.
   */
  async locate(entry: ZipEntry): Promise<SourceOrigin | null> {
    if (entry.compressed || this.#crc32 !== null || this.source.origin === undefined) return null;
    return (await this.slice(entry)).origin ?? null;
  }

  /** Announces entries that will be read soon. Returns a function that ends the announcement. */
  expect(entries: Iterable<ZipEntry>, options?: Pick<ReadOptions, "signal">): () => void {
    return this.source.expect?.(Array.from(entries, surroundings), options) ?? (() => {});
  }

  /** Announces reads of an entry that is itself a zip: its directory and its first entries. */
  expectInside(entries: Iterable<ZipEntry>, options?: Pick<ReadOptions, "signal">): () => void {
    const ranges = Array.from(entries, surroundings).flatMap(({ offset, length }) =>
      length <= INSIDE_HEAD + INSIDE_TAIL
        ? [{ offset, length }]
        : [
            { offset, length: INSIDE_HEAD },
            { offset: offset + length - INSIDE_TAIL, length: INSIDE_TAIL },
          ],
    );
    return this.source.expect?.(ranges, options) ?? (() => {});
  }

  async #readStored(entry: ZipEntry, options: ReadOptions | undefined): Promise<Uint8Array> {
    const { compressedSize: length, headerOffset } = entry;
    const isFar = this.source.expect !== undefined;
    if (options?.into !== undefined && !isFar) return this.#readInto(entry, options);
    // Header and data in one read save a network round trip per entry.
    const around = surroundings(entry);
    const { signal } = options ?? {};
    const block = await this.source.read(around.offset, around.length, { signal });
    const data = this.#dataOffset(entry, block.subarray(headerOffset - around.offset)) - around.offset;
    if (data + length <= block.byteLength) return deliver(block.subarray(data, data + length), options);
    return this.source.read(around.offset + data, length, options);
  }

  /** Reads header and data at once where the data offset can be predicted; the header then confirms it. */
  async #readInto(entry: ZipEntry, options: ReadOptions): Promise<Uint8Array> {
    const length = entry.compressedSize;
    const guess = usualOffset(entry);
    const { headerOffset } = entry;
    if (this.#batch === undefined || !this.#usual || guess + length > entry.limit) {
      const header = await this.source.read(headerOffset, LOCAL_BYTES, { signal: options.signal });
      return this.source.read(this.#dataOffset(entry, header), length, options);
    }
    const into = options.into!.subarray(0, length);
    const start = this.#dataOffset(entry, await this.#batch.read({ headerOffset, dataOffset: guess, into }, options));
    return start === guess ? into : this.source.read(start, length, options);
  }

  #dataOffset(entry: ZipEntry, header: Uint8Array): number {
    const offset = dataOffset(entry, header);
    this.#usual = offset === usualOffset(entry);
    return offset;
  }
}

/**
 * Returns the range of an entry with its header. Only the header gives the exact data offset, so the range is
 * estimated.
 */
function surroundings({ headerOffset, nameBytes, compressedSize, limit }: ZipEntry): ByteRange {
  const offset = headerOffset - (headerOffset % ALIGNMENT);
  const guess = headerOffset + LOCAL_BYTES + nameBytes + USUAL_EXTRA + compressedSize;
  return { offset, length: Math.min(guess, limit) - offset };
}

/** Returns the data offset that PyTorch's writer chooses: aligned, after an extra field of at least four bytes. */
function usualOffset({ headerOffset, nameBytes }: ZipEntry): number {
  return Math.ceil((headerOffset + LOCAL_BYTES + nameBytes + EXTRA_HEADER_BYTES) / ALIGNMENT) * ALIGNMENT;
}

/** Returns the data offset, which only the local header gives: its extra field holds the alignment padding. */
function dataOffset(entry: ZipEntry, header: Uint8Array): number {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  const nameBytes = view.getUint16(26, true);
  if (view.getUint32(0, true) !== LOCAL || nameBytes !== entry.nameBytes) {
    throw formatError("format.zip", {
      what: "the entry's header is not where the zip directory says",
      where: entry.name,
      advice: "the file is damaged, copy or download it again",
    });
  }
  const offset = entry.headerOffset + LOCAL_BYTES + nameBytes + view.getUint16(28, true);
  if (offset + entry.compressedSize <= entry.limit) return offset;
  throw formatError("format.overlap", {
    what: "the entry reaches into the next one",
    where: entry.name,
    advice: "the file is damaged or malicious",
  });
}

/** Loaded on demand: PyTorch compresses no entries. */
async function inflated(entry: ZipEntry, bytes: Uint8Array): Promise<Uint8Array> {
  const { inflate } = await import("./inflate.ts");
  return inflate(entry, bytes);
}

/** Returns what computes checksums: the source's own function, or ours, which loads when it is needed. */
async function crc32Of({ crc32 }: ByteSource): Promise<Crc32> {
  return crc32 ?? (await import("./crc32.ts")).crc32;
}
