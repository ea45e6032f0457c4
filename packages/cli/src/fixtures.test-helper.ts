import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { main } from "./index.ts";

// What is ready here differs from machine to machine, also in programs that tests start.
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

/** What a command line did. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in this process. */
export async function pt2(...args: readonly string[]): Promise<Outcome> {
  const written = { out: "", err: "" };
  const code = await main(args, {
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    interactive: false,
  });
  return { code, ...written };
}

/** Arguments that name a fixture with its inputs, and with its expected outputs where they are asked for. */
export function fixtureArgs(name: string, expected = true): readonly string[] {
  const results = ["--expected", fixturePath(`${name}.expected.safetensors`)];
  return [
    fixturePath(`${name}.pt2`),
    "--inputs",
    fixturePath(`${name}.inputs.safetensors`),
    ...(expected ? results : []),
  ];
}
