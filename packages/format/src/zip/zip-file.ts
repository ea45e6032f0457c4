import { formatError } from "../format-errors.ts";
import { type ByteSource, deliver, fromBytes, type ReadOptions, type SourceOrigin, slice } from "../source.ts";
import { crc32 } from "./crc32.ts";
import { readDirectory } from "./directory.ts";
import { LOCAL_BYTES, type ZipEntry } from "./entry.ts";
import { ReadBatch } from "./read-batch.ts";

const LOCAL = 0x04034b50;
/** PyTorch aligns data to 64 bytes in the file; reading from such a position keeps that alignment in memory. */
const ALIGNMENT = 64;
/** What a local extra field usually takes: up to 63 bytes of padding and 28 of zip64. */
const USUAL_EXTRA = 128;
/** Identifier and length before what an extra field holds. */
const EXTRA_HEADER_BYTES = 4;

/** An open zip: records are found in its directory and read on demand. */
export class ZipFile {
  readonly entries: ReadonlyMap<string, ZipEntry>;
  readonly source: ByteSource;
  readonly #verify: boolean;
  readonly #batch: ReadBatch | undefined;
  /** Whether the last header that was read put its data where PyTorch's writer does. */
  #usual = false;

  constructor(source: ByteSource, entries: readonly ZipEntry[], verify: boolean) {
    this.source = source;
    this.entries = new Map(entries.map((entry) => [entry.name, entry]));
    this.#verify = verify;
    this.#batch = source.scatter && new ReadBatch(source.scatter.bind(source));
  }

  /** Undefined when the source is no zip. */
  static async open(source: ByteSource, verify: boolean, options?: ReadOptions): Promise<ZipFile | undefined> {
    const directory = await readDirectory(source, options);
    return directory && new ZipFile(directory.source, directory.entries, verify);
  }

  /** The bytes of a record. */
  async read(entry: ZipEntry, options?: ReadOptions): Promise<Uint8Array> {
    const stored = await this.#readStored(entry, entry.compressed ? { signal: options?.signal } : options);
    const bytes = entry.compressed ? deliver(await inflated(entry, stored), options) : stored;
    if (this.#verify && crc32(bytes) !== entry.crc32) {
      throw formatError("format.checksum", {
        what: "the record's bytes do not match its CRC-32",
        where: entry.name,
        advice: "the file is damaged, copy or download it again",
      });
    }
    return bytes;
  }

  /** A record as a source of its own, without reading it when it is stored. */
  async slice(entry: ZipEntry, options?: ReadOptions): Promise<ByteSource> {
    if (entry.compressed || this.#verify) return { ...fromBytes(await this.read(entry, options)), name: entry.name };
    const header = await this.source.read(entry.headerOffset, LOCAL_BYTES, options);
    return slice(this.source, this.#dataOffset(entry, header), entry.size, entry.name);
  }

  /** Where a stored record's bytes start in the source's origin; null when it is compressed or checked, or has none. */
  async locate(entry: ZipEntry): Promise<SourceOrigin | null> {
    if (entry.compressed || this.#verify || this.source.origin === undefined) return null;
    return (await this.slice(entry)).origin ?? null;
  }

  async #readStored(entry: ZipEntry, options: ReadOptions | undefined): Promise<Uint8Array> {
    const length = entry.compressedSize;
    if (options?.into !== undefined) return this.#readInto(entry, options);
    // Header and data in one read: a network round trip less per record.
    const start = entry.headerOffset - (entry.headerOffset % ALIGNMENT);
    const guess = entry.headerOffset + LOCAL_BYTES + entry.nameBytes + USUAL_EXTRA + length;
    const block = await this.source.read(start, Math.min(guess, entry.limit) - start, options);
    const data = this.#dataOffset(entry, block.subarray(entry.headerOffset - start)) - start;
    if (data + length <= block.byteLength) return block.subarray(data, data + length);
    return this.source.read(start + data, length, options);
  }

  /** Header and data at once where it can be told before where the data starts; the header still has the last word. */
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

/** Where PyTorch's writer lets data start: aligned, behind an extra field of at least its own four bytes. */
function usualOffset({ headerOffset, nameBytes }: ZipEntry): number {
  return Math.ceil((headerOffset + LOCAL_BYTES + nameBytes + EXTRA_HEADER_BYTES) / ALIGNMENT) * ALIGNMENT;
}

/** Where the data starts: only the local header knows, its extra field holds the alignment padding. */
function dataOffset(entry: ZipEntry, header: Uint8Array): number {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  const nameBytes = view.getUint16(26, true);
  if (view.getUint32(0, true) !== LOCAL || nameBytes !== entry.nameBytes) {
    throw formatError("format.zip", {
      what: "the record's header is not where the zip directory says",
      where: entry.name,
      advice: "the file is damaged, copy or download it again",
    });
  }
  const offset = entry.headerOffset + LOCAL_BYTES + nameBytes + view.getUint16(28, true);
  if (offset + entry.compressedSize <= entry.limit) return offset;
  throw formatError("format.overlap", {
    what: "the record reaches into the next one",
    where: entry.name,
    advice: "the file is damaged or hostile",
  });
}

/** PyTorch compresses nothing: what does is loaded when a file comes that something else has written. */
async function inflated(entry: ZipEntry, bytes: Uint8Array): Promise<Uint8Array> {
  const { inflate } = await import("./inflate.ts");
  return inflate(entry, bytes);
}
