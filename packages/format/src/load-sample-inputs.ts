import { formatError } from "./format-errors.ts";
import type { PyValue, SampleInputs } from "./sample-inputs.ts";
import { readTorchSave } from "./torch-save.ts";
import type { ZipEntry } from "./zip/zip-entry.ts";
import type { ZipFile } from "./zip/zip-file.ts";

/** Reads `(args, kwargs)`; returns undefined where the exporter stored none. */
export async function loadSampleInputs(
  zip: ZipFile,
  entry: ZipEntry | undefined,
  verify: boolean,
): Promise<SampleInputs | undefined> {
  if (entry === undefined || entry.size === 0) return undefined;
  const root = await readTorchSave(await zip.slice(entry), verify, { classes: true });
  if (root.kind === "none") return undefined;
  const [args, kwargs] = root.kind === "tuple" || root.kind === "list" ? root.items : [];
  if (args === undefined || !("items" in args) || kwargs?.kind !== "dict") {
    throw formatError("format.pickle", {
      what: "the sample inputs are not a pair of arguments and keyword arguments",
      where: entry.name,
      advice: "pass inputs yourself",
    });
  }
  return { args: args.items, kwargs: kwargs.entries.map(([key, value]) => [keyword(key, entry.name), value] as const) };
}

function keyword(key: PyValue, where: string): string {
  if (key.kind === "string") return key.value;
  throw formatError("format.pickle", {
    what: `a keyword of the sample inputs is a ${key.kind}, not a string`,
    where,
    advice: "pass inputs yourself",
  });
}
