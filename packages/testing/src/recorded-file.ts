import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** Which tensors of recorded calls: those that the program took, or PyTorch's results. */
export type RecordedKind = "inputs" | "expected";

/**
 * Returns the file with what was recorded of the program `base.pt2`: beside it, unless `base.json` names the file of
 * another program that has the same tensors.
 */
export function recordedFile(base: string, kind: RecordedKind): string {
  const notes = `${base}.json`;
  const elsewhere = existsSync(notes)
    ? (JSON.parse(readFileSync(notes, "utf8")) as Partial<Record<RecordedKind, unknown>>)[kind]
    : undefined;
  return typeof elsewhere === "string" ? resolve(dirname(base), elsewhere) : `${base}.${kind}.safetensors`;
}
