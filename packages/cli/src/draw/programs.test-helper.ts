import { readdirSync, readFileSync } from "node:fs";
import { fromBytes, openArchive } from "@pt2/format";
import { importProgram, type Program } from "@pt2/graph";

const ROOT = new URL("../../../../tests/fixtures/", import.meta.url);

/** Paths of the committed programs below `tests/fixtures`, such as `torch-2.13/conv.pt2`. */
export const FIXTURES: readonly string[] = readdirSync(ROOT, { recursive: true, encoding: "utf8" })
  .filter((path) => /^torch-[\d.]+\/.*\.pt2$/.test(path))
  .sort();

/** Imports the program of a committed file. */
export async function fixture(path: string): Promise<Program> {
  const archive = await openArchive(fromBytes(readFileSync(new URL(path, ROOT))));
  return importProgram(await archive.program());
}
