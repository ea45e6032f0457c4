import { unlessAborted } from "../abort/unless-aborted.ts";
import { type ByteSource, checkRange, deliver, type ReadOptions } from "../byte-source.ts";
import type { ByteRange } from "../remote/byte-range.ts";
import { BLOCK, type CacheEntry } from "./cache-entry.ts";

/** The number of blocks that one read requests at the same time. */
const TOGETHER = 6;

/** A source that reads from the cache where possible; it downloads other bytes in whole blocks and stores these. */
export class CachedSource implements ByteSource {
  readonly size: number;
  readonly name?: string;
  readonly #source: ByteSource;
  readonly #entry: CacheEntry;
  /** Blocks in flight, until they are written. */
  readonly #coming = new Map<number, { readonly bytes: Promise<Uint8Array>; readonly stored: Promise<void> }>();
  /** False once the storage quota is exceeded; bytes then pass through without being stored. */
  #hasRoom = true;

  constructor(source: ByteSource, entry: CacheEntry) {
    this.#source = source;
    this.#entry = entry;
    this.size = source.size;
    if (source.name !== undefined) this.name = source.name;
  }

  async read(offset: number, length: number, options?: ReadOptions): Promise<Uint8Array> {
    checkRange(this, offset, length, options);
    const [first, last] = [Math.floor(offset / BLOCK), Math.floor((offset + Math.max(1, length) - 1) / BLOCK)];
    if (first === last) return deliver(await this.#bytes(first, offset - first * BLOCK, length, options), options);
    const out = options?.into?.subarray(0, length) ?? new Uint8Array(length);
    const take = async (index: number): Promise<void> => {
      const [start, end] = [Math.max(offset, index * BLOCK), Math.min(offset + length, (index + 1) * BLOCK)];
      out.set(await this.#bytes(index, start - index * BLOCK, end - start, options), start - offset);
    };
    for (let index = first; index <= last; index += TOGETHER) {
      options?.signal?.throwIfAborted();
      await Promise.all(Array.from({ length: Math.min(TOGETHER, last + 1 - index) }, (_, i) => take(index + i)));
    }
    return out;
  }

  /** Announces the missing blocks to the source. */
  expect(ranges: readonly ByteRange[], options?: Pick<ReadOptions, "signal">): () => void {
    const blocks = new Set<number>();
    for (const { offset, length } of ranges) {
      for (let index = Math.floor(offset / BLOCK); index * BLOCK < offset + length; index++) blocks.add(index);
    }
    const missing = [...blocks].filter((index) => !this.#entry.has(index) && !this.#coming.has(index));
    const wanted = missing.map((index) => this.#rangeOf(index));
    return this.#source.expect?.(wanted, options) ?? (() => {});
  }

  /** Finishes storing the blocks in flight: a load after an abort continues from there. */
  async close(): Promise<void> {
    await Promise.all([...this.#coming.values()].map(({ stored }) => stored));
    await this.#source.close?.();
  }

  async #bytes(index: number, start: number, length: number, options?: ReadOptions): Promise<Uint8Array> {
    const known = this.#coming.has(index) ? null : await this.#entry.read(index, start, length);
    if (known !== null) return known;
    // All readers share a block, so an abort ends the wait for it and not the request.
    const block = await unlessAborted(this.#fetch(index), options?.signal);
    return block.subarray(start, start + length);
  }

  #fetch(index: number): Promise<Uint8Array> {
    const known = this.#coming.get(index);
    if (known !== undefined) return known.bytes;
    const { offset, length } = this.#rangeOf(index);
    const bytes = this.#source.read(offset, length);
    const stored = this.#store(index, bytes).finally(() => this.#coming.delete(index));
    this.#coming.set(index, { bytes, stored });
    return bytes;
  }

  #rangeOf(index: number): ByteRange {
    return { offset: index * BLOCK, length: Math.min(BLOCK, this.size - index * BLOCK) };
  }

  async #store(index: number, bytes: Promise<Uint8Array>): Promise<void> {
    // The readers get the error of a failed block.
    const block = await bytes.catch(() => null);
    if (block === null || !this.#hasRoom) return;
    await this.#entry.write(index, block).catch(() => {
      this.#hasRoom = false;
    });
  }
}
