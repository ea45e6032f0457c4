import { Pt2Error, type Pt2ErrorParts } from "./pt2-error.ts";

/** Every error code of this package with its meaning. */
export const FORMAT_ERRORS = {
  "format.not-an-archive": "the bytes are not a zip archive",
  "format.executorch": "the file is an ExecuTorch program",
  "format.torchscript": "the file is a TorchScript module",
  "format.checkpoint": "the file is a torch.save checkpoint, it holds no program",
  "format.torch-package": "the file is a torch.package archive",
  "format.aotinductor": "the file is an AOTInductor package: machine code for one platform",
  "format.unknown-archive": "the file is a zip, but not of a kind that PyTorch writes",
  "format.archive-version": "the archive version is not supported",
  "format.schema-version": "the program's schema version is not supported",
  "format.zip": "the zip structure is damaged",
  "format.zip-unsupported": "the zip uses encryption, several disks or an unknown compression",
  "format.truncated": "the file ends before its data does",
  "format.checksum": "an entry's bytes do not match its CRC-32",
  "format.overlap": "two entries share bytes of the file",
  "format.limit": "the file asks for more than a documented limit allows",
  "format.no-record": "the archive lacks an entry that it refers to",
  "format.no-model": "the archive has no model of that name",
  "format.choose-model": "the archive holds several models and none was named",
  "format.json": "an entry is not valid JSON",
  "format.program": "the program JSON does not follow the schema",
  "format.weights": "a weights table does not follow the schema or its own bytes",
  "format.view": "a tensor reaches outside its storage",
  "format.pickle": "a pickle is damaged",
  "format.pickle-global": "a pickle names a Python object that is not allowed; nothing was executed",
  "format.tensor-kind": "the file holds a tensor of a kind that is not supported",
  "format.tensor-subclass": "a weight is a tensor subclass that was not unwrapped before the export",
  "format.safetensors": "a safetensors file is damaged",
  "format.npz": "a .npy or .npz file is damaged or of an unsupported kind",
  "format.io": "the source could not be read",
  "format.node-entry": "a page imported an entry point that only works in Node",
  "format.options": "an option does not exist or has an impossible value, or the options are not an object",
  "format.closed": "the source was closed",
  "format.write": "the content cannot be written",
} as const;

/** A code of {@link FORMAT_ERRORS}. */
export type FormatErrorCode = keyof typeof FORMAT_ERRORS;

/** Creates an error with a code of the table. */
export function formatError(code: FormatErrorCode, parts: Pt2ErrorParts): Pt2Error {
  return new Pt2Error(code, parts);
}
