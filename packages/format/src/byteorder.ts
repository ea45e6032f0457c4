import type { ReadSignal } from "./archive.ts";
import { formatError } from "./format-errors.ts";
import type { ZipFile } from "./zip/zip-file.ts";

/** Throws when an entry says that the bytes were written by a big-endian machine. Older files do not say. */
export async function requireLittleEndian(
  zip: ZipFile,
  entryName: string,
  where: string,
  options?: ReadSignal,
): Promise<void> {
  const entry = zip.entries.get(entryName);
  if (entry === undefined || entry.size > 16) return;
  const order = new TextDecoder().decode(await zip.read(entry, options)).trim();
  if (order !== "big") return;
  throw formatError("format.weights", {
    what: "the weights were written by a big-endian machine",
    where,
    advice: "load and save the program once on a little-endian machine",
  });
}
