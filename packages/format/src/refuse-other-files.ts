import type { ReadSignal } from "./archive.ts";
import { AOTI, type ArchiveLayout, SUPPORTED_VERSION } from "./archive-layout.ts";
import type { ByteSource } from "./byte-source.ts";
import { type FormatErrorCode, formatError } from "./format-errors.ts";
import { type OptionTypes, requireOptions } from "./options.ts";
import type { Pt2ErrorParts } from "./pt2-error.ts";

/** The bytes that identify a file: HTML may begin with comments. */
const HEAD = 512;
const SAVE_PROGRAM = 'save the program itself: torch.export.save(torch.export.export(model, args), "model.pt2")';

/** A zip that cannot be read as an archive. */
interface Refused extends Pick<ArchiveLayout, "entries" | "models"> {
  /** Whether it declares itself an archive of programs. */
  readonly isPt2: boolean;
  readonly version: string;
  readonly file: string | undefined;
}

/** Refuses options that `openArchive` does not have. */
export function refuseOptions(options: unknown, types: OptionTypes): void {
  requireOptions("openArchive()", options, types, "format.options");
}

/** Returns an error that names the kind of zip, with advice. */
export function refusalOf({ entries, isPt2, models, version, file }: Refused): Error {
  const has = (pattern: RegExp): boolean => [...entries.keys()].some((name) => pattern.test(name));
  if (models.length > 0) return unsupportedVersion(version, file);
  if (has(AOTI)) return aotInductor(file);
  if (isPt2) return other("format.unknown-archive", "the archive holds no model (no models/*.json)", file);
  if (entries.has("constants.pkl") && has(/^code\//)) {
    return other(
      "format.torchscript",
      "the file is a TorchScript module (torch.jit.save), not an exported program",
      file,
    );
  }
  if (entries.has(".data/extern_modules")) {
    return other("format.torch-package", "the file is a torch.package archive, not an exported program", file);
  }
  if (entries.size > 0 && [...entries.keys()].every((name) => name.endsWith(".npy"))) {
    return other("format.unknown-archive", "the file is an .npz file: arrays of NumPy without a program", file);
  }
  if (entries.has("data.pkl")) {
    return other("format.checkpoint", "the file is a torch.save checkpoint: weights without a program", file);
  }
  return other("format.unknown-archive", "the file is a zip, but not a .pt2 archive", file);
}

/** Throws an error that names the kind of a file that is not a zip. */
export async function refuseNonZip(source: ByteSource, options?: ReadSignal): Promise<never> {
  const head = await source.read(0, Math.min(HEAD, source.size), options);
  const text = String.fromCharCode(...head);
  const magic = text.slice(0, 8);
  const found = strangerOf(text, source) ?? otherFormatOf(text, source.name);
  if (found !== undefined) throw formatError("format.not-an-archive", found);
  if (/^ET\d\d$/.test(magic.slice(4, 8))) {
    throw other("format.executorch", "the file is an ExecuTorch program (.pte), not a .pt2 archive", source.name);
  }
  const protocol = magic.startsWith("\x80") ? magic.charCodeAt(1) : 0;
  if (protocol >= 2 && protocol <= 5) {
    const what = protocol === 2 ? "a pickle of torch before 1.6: weights without a program" : "a pickle of Python";
    throw other("format.checkpoint", `the file is ${what}`, source.name);
  }
  if (magic.startsWith("PK\x03\x04")) {
    throw formatError("format.truncated", {
      what: "the file begins as a zip and ends before its directory",
      where: source.name,
      advice: "the file is incomplete, copy or download it again",
    });
  }
  throw other("format.not-an-archive", "the file is not a zip archive, so it is not a .pt2 file", source.name);
}

/** Recognizes what servers and tools send in place of a missing file. */
function strangerOf(text: string, { size, name: where }: ByteSource): Pt2ErrorParts | undefined {
  if (size === 0) return { what: "the file is empty", where, advice: "copy or download it again" };
  if (text.startsWith("version https://git-lfs.github.com/spec/")) {
    return {
      what: "this is a git-lfs pointer: git did not fetch the file itself",
      where,
      advice: "`git lfs pull` fetches it; on a server, deploy the file itself",
    };
  }
  if (/^(?:\xef\xbb\xbf)?\s*(?:<!--.*?-->\s*)?<(?:!doctype html|html|head|body)\b/is.test(text)) {
    return {
      what: "this is an HTML page, not a model",
      where,
      advice: "check the address: servers of single-page apps answer unknown addresses with their start page",
    };
  }
  if (/^\s*[{<]/.test(text) && where !== undefined && /^https?:/.test(where)) {
    return {
      what: `this is ${text.trim().startsWith("{") ? "JSON" : "XML"}, not a model: probably an error message of the server`,
      where,
      advice: "open the address in a browser, and read the response",
    };
  }
  return undefined;
}

/** The bytes at an offset by which other files are known that users have beside programs. */
const OTHER_FORMATS: readonly (readonly [offset: number, magic: string, what: string, advice: string])[] = [
  [0, "\x1f\x8b", "compressed with gzip", "decompress it; a server that compresses says so: Content-Encoding: gzip"],
  [0, "BZh", "compressed with bzip2", "decompress it"],
  [0, "\xfd7zXZ", "compressed with xz", "decompress it"],
  [0, "\x28\xb5\x2f\xfd", "compressed with Zstandard", "decompress it"],
  [0, "7z\xbc\xaf", "a 7z archive", "extract the .pt2 file from it"],
  [257, "ustar", "a tar archive", "extract the .pt2 file from it"],
  [
    5,
    '\0\0\0{"',
    "a safetensors file: weights without a program",
    `${SAVE_PROGRAM}; with a program that \`pt2 graph\` wrote as JSON, pass it as \`weights\``,
  ],
  [4, "pytorch", "an ONNX model", SAVE_PROGRAM],
  [0, "GGUF", "a GGUF file: weights for llama.cpp", SAVE_PROGRAM],
  [0, "\x93NUMPY", "an array of NumPy", SAVE_PROGRAM],
  [0, "\x89HDF", "an HDF5 file, as Keras writes it", SAVE_PROGRAM],
  [4, "TFL3", "a TensorFlow Lite model", SAVE_PROGRAM],
  [
    0,
    '{"irVersion":',
    "a program as JSON, without its weights",
    'pass them too: load("model.json", { weights: "model.safetensors", backend }) in Node, --weights of pt2',
  ],
];

function otherFormatOf(text: string, where: string | undefined): Pt2ErrorParts | undefined {
  const found = OTHER_FORMATS.find(([offset, magic]) => text.startsWith(magic, offset));
  return found && { what: `the file is ${found[2]}`, where, advice: found[3] };
}

function aotInductor(where: string | undefined): Error {
  return formatError("format.aotinductor", {
    what: "the file is an AOTInductor package: machine code compiled for one platform, not a program",
    where,
    advice: `run it with \`loadAoti\` of the backend of @pt2/backend-libtorch if you trust it; or ${SAVE_PROGRAM}`,
  });
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

/** Refuses what callers in plain JavaScript may take for a source. */
export function refuseNonSource(source: unknown): never {
  throw formatError("format.io", {
    what: `The source is ${typeof source === "string" ? "a text" : Object.prototype.toString.call(source).slice(8, -1)}, not a ByteSource`,
    advice:
      "open it first: fromBytes(bytes), fromBlob(blob), await fromUrl(url), or await fromFile(path) of @pt2/format/node",
  });
}
