/** Tokens from language models that transformers exported. In Node, a source may also be a path. */
import type { ModelSource } from "@pt2/runtime";
import { type Folder, isProgram } from "./export-folder.ts";
import { generateError } from "./generate-errors.ts";
import type { LanguageModel } from "./language-model.ts";
import { type LoadLanguageModelOptions, loadWith } from "./load-language-model.ts";

export { GENERATE_ERRORS, type GenerateErrorCode } from "./generate-errors.ts";
export { type GenerateOptions, type GenerationEnd, LanguageModel } from "./language-model.ts";
export type { LoadLanguageModelOptions } from "./load-language-model.ts";
export type { GenerationSettings } from "./settings.ts";
export { streamText, type TokenDecoder } from "./stream-text.ts";

/**
 * Loads a language model: the address of a folder that `export_for_generation(…).save_pretrained(folder)` of transformers
 * wrote, or one program (an address that ends in `.pt2`, or its bytes) that keeps its cache, or that takes the whole text.
 */
export async function loadLanguageModel(
  source: ModelSource,
  options: LoadLanguageModelOptions,
): Promise<LanguageModel> {
  const isAddress = typeof source === "string" || source instanceof URL;
  return await loadWith(isAddress && !isProgram(source) ? siteFolder(source) : source, options);
}

/** A folder of a site. */
function siteFolder(address: string | URL): Folder {
  const base = (globalThis as { readonly location?: { readonly href: string } }).location?.href;
  const where = String(address).replace(/\/?$/, "/");
  const urlOf = (name: string): URL => new URL(name, new URL(where, base));
  return {
    where,
    source: urlOf,
    async json(name, signal) {
      try {
        const response = await fetch(urlOf(name), signal === undefined ? {} : { signal });
        if (response.status === 404) return null;
        if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
        return await response.json();
      } catch (cause) {
        signal?.throwIfAborted();
        throw generateError("generate.folder", { what: `${name} cannot be read: ${cause}`, where, cause });
      }
    },
  };
}
