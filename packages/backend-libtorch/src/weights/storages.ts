import type { Storage } from "@pt2/format";
import type { Addon, NativeFile, NativeStorage } from "../addon.ts";

/**
 * PyTorch's allocator aligns to this, and so do its archives; kernels may take other paths, with other bits, otherwise.
 */
const ALIGNMENT = 64;

/** Maps storages where the file has their bytes as they are. Each file is mapped once. */
export class StorageOpener {
  readonly #addon: Pick<Addon, "mapFile">;
  readonly #signal: AbortSignal | undefined;
  readonly #files = new Map<string, NativeFile>();

  constructor(addon: Pick<Addon, "mapFile">, signal: AbortSignal | undefined) {
    this.#addon = addon;
    this.#signal = signal;
  }

  /** Maps a storage; returns null where it has to be read. */
  async map(storage: Storage): Promise<NativeStorage | null> {
    this.#signal?.throwIfAborted();
    const origin = storage.nbytes === 0 ? null : await storage.locate?.();
    if (origin?.kind !== "file" || origin.start % ALIGNMENT !== 0) return null;
    const file = this.#files.get(origin.path) ?? this.#addon.mapFile(origin.path);
    this.#files.set(origin.path, file);
    // A file that was cut short since it was opened is read instead, which reports it.
    return origin.start + storage.nbytes <= file.size ? file.storage(origin.start, storage.nbytes) : null;
  }
}
