import type { SourceOrigin, Storage } from "@pt2/format";
import type { Addon, NativeFile, NativeStorage } from "../addon.ts";

/** PyTorch's allocator aligns to this, and so do its archives; kernels may take other paths, with other bits, otherwise. */
const ALIGNMENT = 64;

/** Opens storages: mapped where the file has their bytes as they are, read otherwise. Each file is mapped once. */
export class StorageOpener {
  readonly #addon: Pick<Addon, "mapFile" | "storage">;
  readonly #signal: AbortSignal | undefined;
  readonly #files = new Map<string, NativeFile>();

  constructor(addon: Pick<Addon, "mapFile" | "storage">, signal: AbortSignal | undefined) {
    this.#addon = addon;
    this.#signal = signal;
  }

  /** Where a storage can be mapped from, if it can; many may be looked for at a time. */
  async locate(storage: Storage): Promise<SourceOrigin | null> {
    this.#signal?.throwIfAborted();
    return storage.nbytes === 0 ? null : ((await storage.locate?.()) ?? null);
  }

  async open(storage: Storage, origin: SourceOrigin | null): Promise<NativeStorage> {
    this.#signal?.throwIfAborted();
    if (origin?.kind === "file" && origin.start % ALIGNMENT === 0) {
      const file = this.#files.get(origin.path) ?? this.#addon.mapFile(origin.path);
      this.#files.set(origin.path, file);
      // A file that was cut short since it was opened is read, which says so.
      if (origin.start + storage.nbytes <= file.size) return file.storage(origin.start, storage.nbytes);
    }
    return this.#addon.storage(await storage.read({ signal: this.#signal }));
  }
}
