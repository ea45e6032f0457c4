/** The exports of `@pt2/generate` in Node, with paths as sources. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ModelSource } from "@pt2/runtime";
import { type Folder, isProgram } from "./export-folder.ts";
import { generateError } from "./generate-errors.ts";
import { loadLanguageModel as loadFromSite } from "./index.ts";
import type { LanguageModel } from "./language-model.ts";
import { type LoadLanguageModelOptions, loadWith } from "./load-language-model.ts";

export * from "./index.ts";

/** Like that of pages; a string that does not begin with `http://`, `https://` or `file://` is a path. */
export async function loadLanguageModel(
  source: ModelSource,
  options: LoadLanguageModelOptions,
): Promise<LanguageModel> {
  const path = pathOf(source);
  return path !== null && !isProgram(path)
    ? await loadWith(diskFolder(path), options)
    : await loadFromSite(source, options);
}

/** The path of a source on this machine; null for one that is elsewhere. */
function pathOf(source: ModelSource): string | null {
  if (typeof source !== "string" && !(source instanceof URL)) return null;
  if (/^file:/i.test(String(source))) return fileURLToPath(source);
  return typeof source === "string" && !/^https?:/i.test(source) ? source : null;
}

function diskFolder(where: string): Folder {
  return {
    where,
    source: (name) => join(where, name),
    async json(name, signal) {
      const path = join(where, name);
      try {
        return JSON.parse(await readFile(path, { encoding: "utf8", ...(signal === undefined ? {} : { signal }) }));
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
        signal?.throwIfAborted();
        throw generateError("generate.folder", { what: `${name} cannot be read: ${cause}`, where, cause });
      }
    },
  };
}
