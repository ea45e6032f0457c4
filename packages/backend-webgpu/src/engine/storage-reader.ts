import type { Storage } from "@pt2/format";
import { expectStorages } from "@pt2/format";

/** The most bytes that are read ahead; a single larger storage is read in parts of this size. */
const WINDOW = 32 * 2 ** 20;
/** The number of reads under way at the same time: over a network each waits for a round trip. */
const READS = 12;

/** Returns the signal of the load or run that reads now. */
export type CurrentSignal = () => AbortSignal | undefined;

/**
 * Reads storages in the order in which they will be taken, a little ahead, so that reading and uploading overlap while
 * only a window of the file is in memory.
 */
export class StorageReader {
  readonly #signal: CurrentSignal;
  readonly #ahead = new Map<Storage, Promise<Uint8Array>>();
  #coming: readonly Storage[] = [];
  #bytes = 0;
  #enough = (): void => {};

  constructor(signal: CurrentSignal = () => undefined) {
    this.#signal = signal;
  }

  /** Announces what will be taken next, in order; nothing, when all was taken. */
  expect(storages: readonly Storage[]): void {
    const earlier = this.#enough;
    this.#enough = expectStorages(storages, this.#signal());
    earlier();
    this.#coming = storages.filter((storage) => !this.#ahead.has(storage));
    this.#fill();
  }

  /** Yields the bytes of a storage in parts, each of which is used before the next is read. Offsets count bytes. */
  async *take(storage: Storage): AsyncGenerator<{ readonly offset: number; readonly bytes: Uint8Array }> {
    if (storage.nbytes > WINDOW && storage.open !== undefined) {
      yield* this.#parts(storage);
      return;
    }
    const known = this.#ahead.get(storage);
    if (known !== undefined) this.#forget(storage);
    this.#coming = this.#coming.filter((other) => other !== storage);
    const bytes = await (known ?? storage.read({ signal: this.#signal() }));
    this.#fill();
    yield { offset: 0, bytes };
  }

  async *#parts(storage: Storage): AsyncGenerator<{ readonly offset: number; readonly bytes: Uint8Array }> {
    const source = await storage.open!({ signal: this.#signal() });
    const part = (offset: number): Promise<Uint8Array> =>
      source.read(offset, Math.min(WINDOW / 2, storage.nbytes - offset), { signal: this.#signal() });
    let next = part(0);
    for (let offset = 0; offset < storage.nbytes; offset += WINDOW / 2) {
      const bytes = await next;
      const behind = offset + WINDOW / 2;
      if (behind < storage.nbytes) {
        next = part(behind);
        // A failed read is reported when it is taken.
        next.catch(() => {});
      }
      yield { offset, bytes };
    }
  }

  #fill(): void {
    while (this.#coming.length > 0 && this.#ahead.size < READS) {
      const [storage, ...rest] = this.#coming as readonly [Storage, ...Storage[]];
      const inParts = storage.nbytes > WINDOW && storage.open !== undefined;
      if (!inParts && this.#ahead.size > 0 && this.#bytes + storage.nbytes > WINDOW) return;
      this.#coming = rest;
      if (inParts) continue;
      const read = storage.read({ signal: this.#signal() });
      this.#ahead.set(storage, read);
      this.#bytes += storage.nbytes;
      // A plan that needs the storage after all reads it again.
      read.catch(() => this.#ahead.get(storage) === read && this.#forget(storage));
    }
  }

  #forget(storage: Storage): void {
    this.#ahead.delete(storage);
    this.#bytes -= storage.nbytes;
  }
}
