import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type CliErrorCode, cliError } from "./cli-errors.ts";

/** Imports a module of the user's by its path, from the current folder; errors have the given code. */
export async function importModule(path: string, code: CliErrorCode): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(resolve(path)).href);
  } catch (cause) {
    throw cliError(code, {
      what: `The module cannot be loaded: ${cause instanceof Error ? cause.message : cause}`,
      where: path,
      advice: /\.[cm]?tsx?$/.test(path)
        ? "pass JavaScript, or let Node read TypeScript: NODE_OPTIONS='--import tsx'"
        : "pass the path of an ES module whose imports Node can resolve",
      cause,
    });
  }
}
