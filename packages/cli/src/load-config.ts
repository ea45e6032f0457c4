import { existsSync } from "node:fs";
import { closestName } from "@pt2/format/options";
import { cliError } from "./cli-errors.ts";
import type { OptionSpec } from "./command-syntax.ts";
import type { Pt2Config } from "./config.ts";
import { importModule } from "./import-module.ts";

/** The option of commands that use a configuration. */
export const CONFIG_OPTION: OptionSpec = {
  name: "config",
  value: "FILE",
  help: "backends, ops and handlers of a project; default: pt2.config.ts or .js in the current folder",
};

/** The names of a configuration in the current folder, the first that is there wins. */
const FILES: readonly string[] = ["pt2.config.ts", "pt2.config.mts", "pt2.config.js", "pt2.config.mjs"];

/** Loads the configuration at a path, or that of the current folder. Empty where there is none. */
export async function loadConfig(path: string | undefined): Promise<Pt2Config> {
  const file = path ?? FILES.find((name) => existsSync(name));
  if (file === undefined) return {};
  const { default: config } = await importModule(file, "cli.config");
  const problem = problemOf(config);
  if (problem === null) return config as Pt2Config;
  throw cliError("cli.config", {
    what: problem,
    where: file,
    advice: "write `export default defineConfig({ backend, backends, ops, handlers })`, with defineConfig of @pt2/cli",
  });
}

/** Checks of the members. */
const MEMBERS: Readonly<Record<keyof Pt2Config, (value: unknown) => string | null>> = {
  backend: (value) => (typeof value === "string" ? null : "is not the name of a backend"),
  backends: (value) =>
    isObject(value) && !Array.isArray(value) && Object.values(value).every((make) => typeof make === "function")
      ? null
      : "is not an object of functions that make backends: { mine: () => myBackend() }",
  ops: listProblem,
  handlers: listProblem,
};

function problemOf(config: unknown): string | null {
  if (!isObject(config)) return "The configuration has no default export that is an object";
  for (const [name, value] of Object.entries(config)) {
    if (!Object.hasOwn(MEMBERS, name)) {
      const meant = closestName(name, Object.keys(MEMBERS));
      return `The configuration has \`${name}\`, which means nothing${meant === undefined ? "" : `; did you mean \`${meant}\`?`}`;
    }
    const wrong = value === undefined ? null : MEMBERS[name as keyof Pt2Config](value);
    if (wrong !== null) return `\`${name}\` of the configuration ${wrong}`;
  }
  return null;
}

function listProblem(value: unknown): string | null {
  return Array.isArray(value) && value.every(isObject) ? null : "is not a list, as load() takes it";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
