import type { ReadOptions } from "./byte-source.ts";
import { formatError } from "./format-errors.ts";
import { numel } from "./view.ts";
import type { Storage, WeightTensor } from "./weight-tensor.ts";
import type { ZipEntry } from "./zip/zip-entry.ts";
import type { ZipFile } from "./zip/zip-file.ts";

let storages = 0;

/** Returns an id that no other storage has: a program may get weights of several archives, which name their entries alike. */
export function storageId(entry: string): string {
  return `${entry} #${storages++}`;
}

/** Creates the storage that reads a zip entry. `name` is the entry's, after its outer entry's where zips are nested. */
export function entryStorage(zip: ZipFile, entry: ZipEntry, name: string): Storage {
  const id = storageId(name);
  zip.storages.set(id, entry);
  return {
    id,
    entry: name,
    nbytes: entry.size,
    ...(entry.crc32 !== 0 && { crc32: entry.crc32 }),
    ...(zip.source.expect !== undefined && { far: zip.far }),
    read: (options?: ReadOptions) => zip.read(entry, options),
    open: (options?: Pick<ReadOptions, "signal">) => zip.slice(entry, options),
    locate: () => zip.locate(entry),
  };
}

/** Creates the storage of a tensor whose bytes the file does not hold. */
export function absentStorage(id: string): Storage {
  return { id, entry: id, nbytes: 0, read: async (options) => options?.into?.subarray(0, 0) ?? new Uint8Array(0) };
}

/** Returns an entry, or throws an error that names the missing one. */
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
 * Returns the names of tensors that are declared but have no bytes: the program was exported with fake or meta weights
 * and needs real ones.
 */
export function absentWeights(weights: ReadonlyMap<string, WeightTensor>): readonly string[] {
  return [...weights.values()]
    .filter(({ storage, shape }) => storage.nbytes === 0 && numel(shape) > 0)
    .map(({ name }) => name);
}
