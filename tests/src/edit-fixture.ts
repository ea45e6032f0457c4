import { readFile } from "node:fs/promises";
import { archiveToBytes, formatProgram, fromBytes, openArchive, parseProgram } from "@pt2/format";
import { fixturePath } from "./fixture.ts";

/** Makes a fixture with text of its program JSON replaced, as the bytes of a new archive. */
export async function editFixture(name: string, from: string, to: string): Promise<Uint8Array> {
  const archive = await openArchive(fromBytes(new Uint8Array(await readFile(fixturePath(`${name}.pt2`)))));
  const json = formatProgram(await archive.program());
  if (!json.includes(from)) throw new Error(`the program of ${name} has no ${from}`);
  const program = parseProgram(new TextEncoder().encode(json.replaceAll(from, to)), name);
  return archiveToBytes({ models: [{ program, weights: await archive.weights() }] });
}
