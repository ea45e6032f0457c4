import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { usageError } from "../cli-errors.ts";
import type { Command, ExitCode } from "../command.ts";
import type { Options } from "../options.ts";
import { type Terminal, toJsonText } from "../terminal/terminal.ts";

const SUFFIX = ".template";

/** `pt2 new` */
export const newPackage: Command = {
  name: "new",
  summary: "write an op package that can be published",
  operands: ["KIND", "FOLDER"],
  options: [],
  notes: [
    "  pt2 new ops my-ops",
    "  cd my-ops && npm install && npm test",
    "",
    "The only KIND is ops. The folder must not exist; its name is the name of the package, and of the ops' namespace.",
  ].join("\n"),

  async run(options: Options, terminal: Terminal): Promise<ExitCode> {
    const [kind, folder] = options.operands;
    if (kind !== "ops") throw usageError(`There is no kind "${kind}"`, "pt2 new ops FOLDER");
    const name = basename(folder!);
    if (!/^[a-z][a-z0-9-]*$/.test(name)) {
      throw usageError(
        `"${name}" is no name for a package`,
        "use lower-case letters, digits and -: pt2 new ops my-ops",
      );
    }
    const manifestPath = createRequire(import.meta.url).resolve("@pt2/cli/package.json");
    const { version } = JSON.parse(await readFile(manifestPath, "utf8")) as { readonly version: string };
    const values = new Map([
      ["name", name],
      ["namespace", name.replaceAll("-", "_")],
      ["version", version],
    ]);
    const templates = join(dirname(manifestPath), "templates", kind);
    const files = (await readdir(templates, { recursive: true })).filter((file) => file.endsWith(SUFFIX)).sort();
    await makeFolder(folder!);
    const written: string[] = [];
    for (const file of files) {
      const text = await readFile(join(templates, file), "utf8");
      const path = join(folder!, file.slice(0, -SUFFIX.length));
      await mkdir(dirname(path), { recursive: true });
      await writeFile(
        path,
        text.replace(/\{\{(\w+)\}\}/g, (_, key: string) => values.get(key)!),
      );
      written.push(path);
    }
    terminal.out(options.flag("json") ? toJsonText({ files: written }) : `${written.join("\n")}\n`);
    return 0;
  },
};

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw usageError(`${folder} exists already`, "choose another name, or remove it");
    throw usageError(`${folder} cannot be made: ${message}`, "choose a folder in one that exists");
  }
}
