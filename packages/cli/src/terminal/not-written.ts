import { cliError } from "../cli-errors.ts";

/** Creates the error for a file that cannot be written. */
export function notWritten(where: string, cause: unknown): Error {
  const advice = cause instanceof Error ? cause.message : String(cause);
  return cliError("cli.io", { what: "The file cannot be written", where, advice, cause });
}
