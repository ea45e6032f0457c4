import { crc32 } from "./crc32.ts";

/** Receives the bytes of a file in order. */
export type ByteSink = (chunk: Uint8Array) => void | Promise<void>;

const ALIGNMENT = 64;
const UINT32_MAX = 0xffffffff;
const UTF8_NAMES = 0x0800;
/** 1980-01-01, the earliest date of a zip: a fixed date makes files reproducible. */
const DATE = 0x0021;
const PADDING_ID = 0x4246;
const PADDING_BYTE = 0x5a;

interface Written {
  readonly name: Uint8Array;
  readonly crc32: number;
  readonly size: number;
  readonly offset: number;
}

/** Writes a zip as PyTorch does: entries stored, data aligned to 64 bytes, always with zip64 end records. */
export class ZipWriter {
  readonly #sink: ByteSink;
  readonly #written: Written[] = [];
  #offset = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  async add(name: string, bytes: Uint8Array): Promise<number> {
    const entry = {
      name: new TextEncoder().encode(name),
      crc32: crc32(bytes),
      size: bytes.length,
      offset: this.#offset,
    };
    await this.#emit(localHeader(entry));
    await this.#emit(bytes);
    this.#written.push(entry);
    return entry.crc32;
  }

  /** Writes the directory; returns the size of the file. */
  async finish(): Promise<number> {
    const start = this.#offset;
    for (const entry of this.#written) await this.#emit(centralHeader(entry));
    await this.#emit(endRecords(this.#written.length, start, this.#offset - start));
    return this.#offset;
  }

  async #emit(bytes: Uint8Array): Promise<void> {
    this.#offset += bytes.byteLength;
    if (bytes.byteLength > 0) await this.#sink(bytes);
  }
}

/** Encodes little-endian fields: `[bytes per field, value]`. */
function fields(...list: readonly (readonly [2 | 4 | 8, number])[]): number[] {
  return list.flatMap(([width, value]) =>
    Array.from({ length: width }, (_, index) => Math.floor(value / 2 ** (8 * index)) % 256),
  );
}

function localHeader({ name, crc32, size, offset }: Written): Uint8Array {
  const wide = size >= UINT32_MAX;
  const zip64 = wide ? fields([2, 0x0001], [2, 16], [8, size], [8, size]) : [];
  const unpadded = offset + 30 + name.length + zip64.length + 4;
  const padding = (ALIGNMENT - (unpadded % ALIGNMENT)) % ALIGNMENT;
  const shown = wide ? UINT32_MAX : size;
  const extra = [...zip64, ...fields([2, PADDING_ID], [2, padding]), ...new Array(padding).fill(PADDING_BYTE)];
  return Uint8Array.from([
    ...fields([4, 0x04034b50], [2, wide ? 45 : 20], [2, UTF8_NAMES], [2, 0], [2, 0], [2, DATE]),
    ...fields([4, crc32], [4, shown], [4, shown], [2, name.length], [2, extra.length]),
    ...name,
    ...extra,
  ]);
}

function centralHeader({ name, crc32, size, offset }: Written): Uint8Array {
  const [wideSize, wideOffset] = [size >= UINT32_MAX, offset >= UINT32_MAX];
  const values = [...(wideSize ? [size, size] : []), ...(wideOffset ? [offset] : [])];
  const zip64 = values.length === 0 ? [] : fields([2, 0x0001], [2, 8 * values.length]);
  const extra = [...zip64, ...values.flatMap((value) => fields([8, value]))];
  const shown = wideSize ? UINT32_MAX : size;
  const version = extra.length > 0 ? 45 : 20;
  return Uint8Array.from([
    ...fields([4, 0x02014b50], [2, version], [2, version], [2, UTF8_NAMES], [2, 0], [2, 0], [2, DATE]),
    ...fields([4, crc32], [4, shown], [4, shown], [2, name.length], [2, extra.length], [2, 0], [2, 0], [2, 0]),
    ...fields([4, 0], [4, wideOffset ? UINT32_MAX : offset]),
    ...name,
    ...extra,
  ]);
}

function endRecords(count: number, start: number, size: number): Uint8Array {
  const shown = Math.min(count, 0xffff);
  return Uint8Array.from([
    ...fields([4, 0x06064b50], [8, 44], [2, 45], [2, 45], [4, 0], [4, 0]),
    ...fields([8, count], [8, count], [8, size], [8, start]),
    ...fields([4, 0x07064b50], [4, 0], [8, start + size], [4, 1]),
    ...fields([4, 0x06054b50], [2, 0], [2, 0], [2, shown], [2, shown]),
    ...fields([4, Math.min(size, UINT32_MAX)], [4, Math.min(start, UINT32_MAX)], [2, 0]),
  ]);
}
