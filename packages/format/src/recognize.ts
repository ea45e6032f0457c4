import type { Generation, ReadSignal } from "./archive.ts";
import { type FormatErrorCode, formatError } from "./format-errors.ts";
import type { ByteSource } from "./source.ts";
import type { ZipEntry } from "./zip/entry.ts";
import type { ZipFile } from "./zip/zip-file.ts";

/** Where an archive keeps things. */
export interface ArchiveLayout {
  readonly generation: Generation;
  readonly root: string;
  readonly models: readonly string[];
  /** Records by their name below the root folder. */
  readonly entries: ReadonlyMap<string, ZipEntry>;
  readonly hasAotInductor: boolean;
}

const SAVE_PROGRAM = 'save the program itself: torch.export.save(torch.export.export(model, args), "model.pt2")';
const AOTI = /^data\/aotinductor\/[^/]+\//;
const MODEL = /^models\/(.+)\.json$/;
const SUPPORTED_VERSION = "0";

/** Tells the generations apart, and everything else by name with what to do instead. */
export async function recognize(zip: ZipFile, options?: ReadSignal): Promise<ArchiveLayout> {
  const file = zip.source.name;
  const { root, entries } = stripRoot(zip);
  const has = (pattern: RegExp): boolean => [...entries.keys()].some((name) => pattern.test(name));

  if (entries.has("serialized_exported_program.json")) {
    return { generation: "flat", root: "", models: ["model"], entries, hasAotInductor: false };
  }
  const format = await text(zip, entries.get("archive_format"), options);
  if (format === "pt2") {
    const version = (await text(zip, entries.get("archive_version"), options)) ?? SUPPORTED_VERSION;
    const models = [...entries.keys()].flatMap((name) => MODEL.exec(name)?.[1] ?? []);
    const hasAotInductor = has(AOTI);
    if (models.length > 0) {
      if (version !== SUPPORTED_VERSION) throw unsupportedVersion(version, file);
      const pickled = models.some((model) => entries.has(`data/weights/${model}.pt`));
      return { generation: pickled ? "pickled" : "current", root, models, entries, hasAotInductor };
    }
    if (hasAotInductor) throw aotInductor(file);
    throw other("format.unknown-archive", "the archive holds no model (no models/*.json)", file);
  }
  if (has(AOTI)) throw aotInductor(file);
  if (entries.has("constants.pkl") && has(/^code\//)) {
    throw other(
      "format.torchscript",
      "the file is a TorchScript module (torch.jit.save), not an exported program",
      file,
    );
  }
  if (entries.has(".data/extern_modules")) {
    throw other("format.torch-package", "the file is a torch.package archive, not an exported program", file);
  }
  if (entries.has("data.pkl")) {
    throw other("format.checkpoint", "the file is a torch.save checkpoint: weights without a program", file);
  }
  throw other("format.unknown-archive", "the file is a zip, but no .pt2 archive", file);
}

function aotInductor(where: string | undefined): Error {
  return formatError("format.aotinductor", {
    what: "the file is an AOTInductor package: machine code compiled for one platform, not a program",
    where,
    advice: `run it with \`loadAoti\` of the backend of @pt2/backend-libtorch if you trust it; or ${SAVE_PROGRAM}`,
  });
}

/**
 * The root folder is the first segment of the records' names. It is the name the file had when it was written, or
 * `archive`; it does not follow a rename.
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

/** What a file that is no zip at all may be. */
export async function refuseNonZip(source: ByteSource, options?: ReadSignal): Promise<never> {
  const head = await source.read(0, Math.min(8, source.size), options);
  const magic = String.fromCharCode(...head);
  if (/^ET\d\d$/.test(magic.slice(4, 8))) {
    throw other("format.executorch", "the file is an ExecuTorch program (.pte), not a .pt2 archive", source.name);
  }
  if (magic.startsWith("\x80\x02")) {
    throw other(
      "format.checkpoint",
      "the file is a pickle of torch before 1.6: weights without a program",
      source.name,
    );
  }
  if (magic.startsWith("PK\x03\x04")) {
    throw formatError("format.truncated", {
      what: "the file begins as a zip and ends before its directory",
      where: source.name,
      advice: "the file is incomplete, copy or download it again",
    });
  }
  const found = source.size === 0 ? "the file is empty" : "the file is no zip archive";
  throw other("format.not-an-archive", `${found}, so it is no .pt2 file`, source.name);
}

async function text(zip: ZipFile, entry: ZipEntry | undefined, options?: ReadSignal): Promise<string | undefined> {
  if (entry === undefined || entry.size > 64) return undefined;
  return new TextDecoder().decode(await zip.read(entry, options)).trim();
}

function other(code: FormatErrorCode, what: string, where: string | undefined): Error {
  return formatError(code, { what, where, advice: SAVE_PROGRAM });
}

function unsupportedVersion(version: string, where: string | undefined): Error {
  return formatError("format.archive-version", {
    what: `archive version ${version} is not supported, ${SUPPORTED_VERSION} is`,
    where,
    advice: "update @pt2, or save the program with torch 2.6 to 2.15",
    details: { version },
  });
}
