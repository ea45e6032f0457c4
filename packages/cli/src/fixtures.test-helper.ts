import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { archiveToBytes, fromBytes, openArchive } from "@pt2/format";
import { recordedFile } from "@pt2/testing/recorded-file";
import { main } from "./cli.ts";
import type { Terminal } from "./terminal/terminal.ts";

// The available backends differ from machine to machine, also in programs that tests start.
process.env.PT2_BACKEND = "wasm";

const FOLDER = new URL("../../../tests/fixtures/", import.meta.url);

/** Path of a fixture's file, such as `torch-2.13/mlp.pt2`. */
export function fixturePath(name: string): string {
  return fileURLToPath(new URL(name, FOLDER));
}

/** A new folder for files of a test. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "pt2-cli-"));
}

/** A fixture in a new archive with extra files; gives its path. */
export async function withExtraFiles(name: string, extraFiles: ReadonlyMap<string, string>): Promise<string> {
  const archive = await openArchive(fromBytes(readFileSync(fixturePath(`${name}.pt2`))));
  const sampleInputs = await archive.readEntry("data/sample_inputs/model.pt");
  const model = { program: await archive.program(), weights: await archive.weights(), sampleInputs };
  const path = join(temporaryFolder(), "model.pt2");
  writeFileSync(path, await archiveToBytes({ models: [model], extraFiles }));
  return path;
}

/** The outcome of a command. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in this process. */
export async function pt2(...args: readonly string[]): Promise<Outcome> {
  return await pt2On({ interactive: false }, ...args);
}

/** The same on a terminal. */
export async function pt2On(
  terminal: Pick<Terminal, "interactive" | "colors" | "columns">,
  ...args: readonly string[]
): Promise<Outcome> {
  const written = { out: "", err: "" };
  const code = await main(args, {
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    ...terminal,
  });
  return { code, ...written };
}

/** Arguments that name a fixture with its inputs, and with its expected outputs where they are asked for. */
export function fixtureArgs(name: string, expected = true): readonly string[] {
  const results = ["--expected", recordedFile(fixturePath(name), "expected")];
  return [
    fixturePath(`${name}.pt2`),
    "--inputs",
    recordedFile(fixturePath(name), "inputs"),
    ...(expected ? results : []),
  ];
}
