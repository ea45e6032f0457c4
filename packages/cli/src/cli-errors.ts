import { Pt2Error, type Pt2ErrorParts } from "@pt2/format";

/** Every error code of this package with its meaning. */
export const CLI_ERRORS = {
  "cli.usage": "the command line is wrong",
  "cli.backend": "no such backend, or it does not work here",
  "cli.inputs": "a tensor file does not fit the program",
  "cli.no-inputs": "no inputs were given and the archive has no sample inputs",
  "cli.no-expected": "no expected outputs were given and the archive has none",
  "cli.config": "a configuration cannot be loaded, or has other members than a configuration has",
  "cli.ops": "a module of ops cannot be loaded, or has none",
  "cli.options": "an option does not exist or has an impossible value",
  "cli.io": "a file cannot be written",
  "cli.codegen": "a program cannot be written as eager calls",
  "cli.internal": "an internal error: a bug of the command line",
} as const;

/** A code of {@link CLI_ERRORS}. */
export type CliErrorCode = keyof typeof CLI_ERRORS;

/** Creates an error with a code of the table. */
export function cliError(code: CliErrorCode, parts: Pt2ErrorParts): Pt2Error {
  return new Pt2Error(code, parts);
}

/** Creates an error about the command line. Without advice of its own it points to the help of the command. */
export function usageError(what: string, advice?: string): Pt2Error {
  return cliError("cli.usage", { what, advice });
}
