import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type CliErrorCode, cliError } from "./cli-errors.ts";

/**
 * Imports a module of the user's: a file by its path from the current folder, or a package that is installed there by its
 * name, `my-ops/wasm`. Errors have the given code.
 */
export async function importModule(name: string, code: CliErrorCode): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(pathOf(name)).href);
  } catch (cause) {
    throw cliError(code, {
      what: `The module cannot be loaded: ${cause instanceof Error ? cause.message.split("\nRequire stack:")[0] : cause}`,
      where: name,
      advice: adviceFor(name, cause),
      cause,
    });
  }
}

/** A file comes before a package, so that installing one changes no command. */
function pathOf(name: string): string {
  const path = resolve(name);
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
    ? path
    : createRequire(join(process.cwd(), "pt2.js")).resolve(name);
}

function adviceFor(name: string, cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (/\.[cm]?tsx?$/.test(name)) return "pass JavaScript, or let Node read TypeScript: NODE_OPTIONS='--import tsx'";
  // `require.resolve` does not see what a package exports under the condition `import` alone.
  if (code === "ERR_PACKAGE_PATH_NOT_EXPORTED") {
    return `pass a sub-path that the package has, or the path of a module of yours with \`export * from "${name}";\``;
  }
  return "pass the path of an ES module whose imports Node can resolve, or the name of a package that is installed here";
}
