import type { ReadSignal } from "./archive.ts";
import { AOTI, type ArchiveLayout, SUPPORTED_VERSION } from "./archive-layout.ts";
import type { ZipEntry } from "./zip/zip-entry.ts";
import type { ZipFile } from "./zip/zip-file.ts";

const MODEL = /^models\/(.+)\.json$/;

/** Recognizes the generation of an archive, and rejects everything else. */
export async function recognizeArchive(zip: ZipFile, options?: ReadSignal): Promise<ArchiveLayout> {
  const { root, entries } = stripRoot(zip);
  if (entries.has("serialized_exported_program.json")) {
    return { generation: "flat", root: "", models: ["model"], entries, hasAotInductor: false };
  }
  const isPt2 = (await text(zip, entries.get("archive_format"), options)) === "pt2";
  const version = (await text(zip, entries.get("archive_version"), options)) ?? SUPPORTED_VERSION;
  const models = isPt2 ? [...entries.keys()].flatMap((name) => MODEL.exec(name)?.[1] ?? []) : [];
  if (models.length > 0 && version === SUPPORTED_VERSION) {
    const pickled = models.some((model) => entries.has(`data/weights/${model}.pt`));
    const hasAotInductor = [...entries.keys()].some((name) => AOTI.test(name));
    return { generation: pickled ? "pickled" : "current", root, models, entries, hasAotInductor };
  }
  // Loaded on demand: a page that loads its own models does not need it.
  const { refusalOf } = await import("./refuse-other-files.ts");
  throw refusalOf({ entries, isPt2, models, version, file: zip.source.name });
}

/**
 * Removes the root folder, which is the first segment of the entries' names. It is the name the file had when it was
 * written, or `archive`; it does not follow a rename.
 */
function stripRoot(zip: ZipFile): { readonly root: string; readonly entries: ReadonlyMap<string, ZipEntry> } {
  const [first = ""] = zip.entries.keys();
  const isFlat = zip.entries.has("serialized_exported_program.json") || zip.entries.has("archive_format");
  const slash = first.indexOf("/");
  if (isFlat || slash < 0) return { root: "", entries: zip.entries };
  const prefix = first.slice(0, slash + 1);
  const inside = [...zip.entries].filter(([name]) => name.startsWith(prefix));
  return {
    root: prefix.slice(0, -1),
    entries: new Map(inside.map(([name, entry]) => [name.slice(prefix.length), entry])),
  };
}

async function text(zip: ZipFile, entry: ZipEntry | undefined, options?: ReadSignal): Promise<string | undefined> {
  if (entry === undefined || entry.size > 64) return undefined;
  return new TextDecoder().decode(await zip.read(entry, options)).trim();
}
