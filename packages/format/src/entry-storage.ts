import type { ReadOptions } from "./byte-source.ts";
import { formatError } from "./format-errors.ts";
import { elementCount } from "./view.ts";
import type { Storage, WeightTensor } from "./weight-tensor.ts";
import type { ZipEntry } from "./zip/zip-entry.ts";
import type { ZipFile } from "./zip/zip-file.ts";

/** The storage that a zip entry is. `id` is the entry's name, after its outer entry's when nested. */
export function entryStorage(zip: ZipFile, entry: ZipEntry, id: string, entryName: string): Storage {
  zip.storages.set(id, entry);
  return {
    id,
    entry: entryName,
    nbytes: entry.size,
    ...(zip.source.expect !== undefined && { far: zip.far }),
    read: (options?: ReadOptions) => zip.read(entry, options),
    open: (options?: Pick<ReadOptions, "signal">) => zip.slice(entry, options),
    locate: () => zip.locate(entry),
  };
}

/** The storage of a tensor whose bytes the file does not hold. */
export function absentStorage(id: string): Storage {
  return { id, entry: id, nbytes: 0, read: async (options) => options?.into?.subarray(0, 0) ?? new Uint8Array(0) };
}

/** Finds an entry or says which one is missing. */
export function requireEntry(zip: ZipFile, name: string, wantedBy: string): ZipEntry {
  const entry = zip.entries.get(name);
  if (entry !== undefined) return entry;
  throw formatError("format.no-record", {
    what: `the entry ${JSON.stringify(name)} is missing`,
    where: wantedBy,
    advice: "the archive is incomplete: save it again",
    details: { entry: name },
  });
}

/**
 * Names of tensors that are declared but have no bytes: the program was exported with fake or meta weights and has to be
 * given real ones.
 */
export function absentWeights(weights: ReadonlyMap<string, WeightTensor>): readonly string[] {
  return [...weights.values()]
    .filter(({ storage, shape }) => storage.nbytes === 0 && elementCount(shape) > 0)
    .map(({ name }) => name);
}
