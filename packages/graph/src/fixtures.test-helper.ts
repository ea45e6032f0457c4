import { readdirSync } from "node:fs";
import { openArchive } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { importProgram } from "./import/import-program.ts";
import type { Program } from "./ir.ts";

const ROOT = new URL("../../../tests/fixtures/", import.meta.url);

/** Paths of the committed programs below `tests/fixtures`, such as `torch-2.13/conv.pt2`. */
export const FIXTURES: readonly string[] = readdirSync(ROOT, { recursive: true, encoding: "utf8" })
  .filter((path) => /^torch-[\d.]+\/.*\.pt2$/.test(path))
  .sort();

/** Imports the program of a committed file. */
export async function fixture(path: string): Promise<Program> {
  const archive = await openArchive(await fromFile(new URL(path, ROOT).pathname));
  try {
    return importProgram(await archive.program());
  } finally {
    await archive.close();
  }
}
