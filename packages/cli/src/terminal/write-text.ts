import { writeFile } from "node:fs/promises";
import { cliError } from "../cli-errors.ts";

/** Writes a file of the command line. */
export async function writeText(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (cause) {
    throw notWritten(path, cause);
  }
}

/** Creates the error for a file that cannot be written. */
export function notWritten(where: string, cause: unknown): Error {
  const advice = cause instanceof Error ? cause.message : String(cause);
  return cliError("cli.io", { what: "The file cannot be written", where, advice, cause });
}
