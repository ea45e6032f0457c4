import { unlessAborted } from "../abort/unless-aborted.ts";
import { type ByteSource, checkRange, deliver, type ReadOptions } from "../byte-source.ts";
import type { ByteRange } from "../remote/byte-range.ts";
import { type CacheEntry, PART } from "./cache-entry.ts";

/** Parts that one read asks for at the same time. */
const TOGETHER = 6;

/** A source whose bytes come from the cache where it has them; others are read in whole parts, which it then has. */
export class CachedSource implements ByteSource {
  readonly size: number;
  readonly name?: string;
  readonly #source: ByteSource;
  readonly #entry: CacheEntry;
  /** Parts under way, until they are written. */
  readonly #coming = new Map<number, { readonly bytes: Promise<Uint8Array>; readonly stored: Promise<void> }>();
  /** Whether there is room; without it bytes are passed through. */
  #hasRoom = true;

  constructor(source: ByteSource, entry: CacheEntry) {
    this.#source = source;
    this.#entry = entry;
    this.size = source.size;
    if (source.name !== undefined) this.name = source.name;
  }

  async read(offset: number, length: number, options?: ReadOptions): Promise<Uint8Array> {
    checkRange(this, offset, length, options);
    const [first, last] = [Math.floor(offset / PART), Math.floor((offset + Math.max(1, length) - 1) / PART)];
    if (first === last) return deliver(await this.#bytes(first, offset - first * PART, length, options), options);
    const out = options?.into?.subarray(0, length) ?? new Uint8Array(length);
    const take = async (index: number): Promise<void> => {
      const [start, end] = [Math.max(offset, index * PART), Math.min(offset + length, (index + 1) * PART)];
      out.set(await this.#bytes(index, start - index * PART, end - start, options), start - offset);
    };
    for (let index = first; index <= last; index += TOGETHER) {
      options?.signal?.throwIfAborted();
      await Promise.all(Array.from({ length: Math.min(TOGETHER, last + 1 - index) }, (_, i) => take(index + i)));
    }
    return out;
  }

  /** Parts that are not here yet, whole. */
  expect(ranges: readonly ByteRange[], options?: Pick<ReadOptions, "signal">): () => void {
    const parts = new Set<number>();
    for (const { offset, length } of ranges) {
      for (let index = Math.floor(offset / PART); index * PART < offset + length; index++) parts.add(index);
    }
    const missing = [...parts].filter((index) => !this.#entry.has(index) && !this.#coming.has(index));
    const wanted = missing.map((index) => this.#rangeOf(index));
    return this.#source.expect?.(wanted, options) ?? (() => {});
  }

  /** What is under way is kept: an aborted load goes on from there. */
  async close(): Promise<void> {
    await Promise.all([...this.#coming.values()].map(({ stored }) => stored));
    await this.#source.close?.();
  }

  async #bytes(index: number, start: number, length: number, options?: ReadOptions): Promise<Uint8Array> {
    const known = this.#coming.has(index) ? null : await this.#entry.read(index, start, length);
    if (known !== null) return known;
    // A part is for everybody who reads, so an abort ends the wait for it and not the request.
    const part = await unlessAborted(this.#fetch(index), options?.signal);
    return part.subarray(start, start + length);
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
    return { offset: index * PART, length: Math.min(PART, this.size - index * PART) };
  }

  async #store(index: number, bytes: Promise<Uint8Array>): Promise<void> {
    // Whoever reads hears of a part that did not come.
    const part = await bytes.catch(() => null);
    if (part === null || !this.#hasRoom) return;
    await this.#entry.write(index, part).catch(() => {
      this.#hasRoom = false;
    });
  }
}
