import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** The tensors that calls of a program took, or that PyTorch answered. */
export type RecordedKind = "inputs" | "expected";

/**
 * The file that holds what was recorded of the program `base.pt2`: beside it, unless `base.json` names the file of
 * another program that has the same tensors.
 */
export function recordedFile(base: string, kind: RecordedKind): string {
  const notes = `${base}.json`;
  const elsewhere = existsSync(notes)
    ? (JSON.parse(readFileSync(notes, "utf8")) as Partial<Record<RecordedKind, unknown>>)[kind]
    : undefined;
  return typeof elsewhere === "string" ? resolve(dirname(base), elsewhere) : `${base}.${kind}.safetensors`;
}
