import type { Backend } from "@pt2/backend";
import { type OptionTypes, requireOptions } from "@pt2/format/options";
import { type LoadOptions, load, type ModelSource, openProgram, type ProgramSource } from "@pt2/runtime";
import { type Decoder, keepingDecoder, type Part, passingDecoder, wholeTextDecoder } from "./decoder.ts";
import { Encoder } from "./encoder.ts";
import { type Folder, readFolder } from "./export-folder.ts";
import { generateError } from "./generate-errors.ts";
import { keepCaches } from "./keep-caches.ts";
import { LanguageModel } from "./language-model.ts";
import { type LanguageProgram, languageProgram } from "./language-program.ts";
import { type GenerationSettings, SETTING_TYPES, settingsOf } from "./settings.ts";

/** Options of a load: those of `load` of @pt2/runtime, and these. The backend stays the caller's. */
export interface LoadLanguageModelOptions
  extends Pick<
    LoadOptions,
    "backend" | "handlers" | "library" | "onProgress" | "onWarning" | "ops" | "precision" | "signal"
  > {
  /** The settings of all texts, instead of those of `generation_config.json`. */
  readonly generationConfig?: GenerationSettings;
  /**
   * The most tokens of a text, prompt included, where the export leaves open how many a static cache has. @default
   * `max_cache_len` of `generation_config.json`, else 1024
   */
  readonly maxCacheLen?: number;
}

/** The types of the options; what `load` takes is checked there. */
const OPTIONS: OptionTypes = {
  backend: "unknown",
  generationConfig: "object",
  handlers: "unknown",
  library: "unknown",
  maxCacheLen: "number",
  onProgress: "unknown",
  onWarning: "unknown",
  ops: "unknown",
  precision: "unknown",
  signal: "AbortSignal",
};

/** Loads a folder of programs, or one program. A load that fails frees everything. */
export async function loadWith(
  source: Folder | ModelSource,
  options: LoadLanguageModelOptions,
): Promise<LanguageModel> {
  requireOptions("loadLanguageModel()", options, OPTIONS, "generate.options", "backend");
  const { generationConfig, maxCacheLen, ...loading } = options;
  const { signal } = loading;
  if (generationConfig !== undefined) {
    requireOptions("The option `generationConfig`", generationConfig, SETTING_TYPES, "generate.options");
  }
  if (maxCacheLen !== undefined && !(Number.isSafeInteger(maxCacheLen) && maxCacheLen > 0)) {
    throw generateError("generate.options", {
      what: `\`maxCacheLen\` is ${maxCacheLen}, but must be an integer from 1 on`,
    });
  }
  const backend = await options.backend;
  const loads = new Loads({ ...loading, backend });
  try {
    if (!isFolder(source)) {
      return new LanguageModel({ backend, decoder: await loads.single(source), settings: generationConfig ?? {} });
    }
    const found = await readFolder(source, signal);
    const settings = generationConfig ?? settingsOf(found.generation, source.where);
    const capacity = maxCacheLen ?? found.capacity ?? 1024;
    const [first, next, encoding] = [found.first, found.next, found.encoder].map((name) =>
      name === null ? null : source.source(name),
    );
    const decoder =
      next == null
        ? await loads.single(first!)
        : await loads.pair(first!, next, { capacity, window: found.window, hasEncoder: encoding != null });
    const encoder = encoding == null ? null : await loads.encoder(encoding);
    return new LanguageModel({ backend, decoder, settings, encoder, start: found.start });
  } catch (problem) {
    await loads.release();
    throw problem;
  }
}

function isFolder(source: Folder | ModelSource): source is Folder {
  return typeof source === "object" && "json" in source && typeof source.json === "function";
}

/** The loads of one language model: what they made is freed together if one of them fails. */
class Loads {
  readonly #options: LoadOptions & { readonly backend: Backend };
  readonly #made: { dispose(): Promise<void> }[] = [];

  constructor(options: LoadOptions & { readonly backend: Backend }) {
    this.#options = options;
  }

  async release(): Promise<void> {
    await Promise.allSettled(this.#made.map((each) => each.dispose()));
  }

  /** A program that keeps its caches itself, or keeps nothing and takes the whole text each time. */
  async single(source: ModelSource): Promise<Decoder> {
    const [opened, language] = await this.#open(source);
    if (language.roles.some(({ kind }) => kind === "cache")) {
      throw generateError("generate.program", {
        what: "The program takes a cache, which another program has to begin",
        advice: "give the folder of prefill and decode",
      });
    }
    requireEncoder(language, false);
    const part = await this.#load(opened, language);
    const capacity = capacityOf(language);
    const isKeeping = language.roles.some((role) => role.kind === "positions" && role.name === "cache_position");
    return isKeeping ? keepingDecoder(part, capacity) : wholeTextDecoder(part, capacity);
  }

  /** Two programs that pass caches on; or the second alone, if it can keep them. */
  async pair(
    first: ModelSource,
    next: ModelSource,
    {
      capacity,
      window,
      hasEncoder,
    }: { readonly capacity: number; readonly window: number | null; readonly hasEncoder: boolean },
  ): Promise<Decoder> {
    const [opened, language] = await this.#open(next);
    requireEncoder(language, hasEncoder);
    if (language.queries !== null && language.queries !== 1) {
      throw generateError("generate.program", {
        what: `The second program takes ${language.queries} tokens at once, and only that; new ones come one by one`,
        advice: "export it with `multi_token_decode=False`",
      });
    }
    // A static cache of a layer with a window was exported as it is before the window moves.
    const keeping = keepCaches(language, window === null ? capacity : Math.min(capacity, window));
    if (keeping !== null) {
      const weights = new Map([...opened.weights, ...keeping.weights]);
      return keepingDecoder(await this.#load({ ...opened, weights }, keeping), leastOf([window, capacityOf(keeping)]));
    }
    const [beginning, prefill] = await this.#open(first);
    const missing = language.roles.find((role) => role.kind === "cache" && !prefill.returned.includes(role.name));
    if (missing?.kind === "cache") {
      throw generateError("generate.program", {
        what: `The second program takes \`${missing.name}\`, which the first one does not return`,
        advice: "give two programs of one export",
      });
    }
    const isStatic = language.returned.some((name) => name.endsWith(".cumulative_length"));
    const most = leastOf([isStatic ? window : null, capacityOf(prefill), capacityOf(language)]);
    return passingDecoder(await this.#load(beginning, prefill), await this.#load(opened, language), most);
  }

  async encoder(source: ModelSource): Promise<Encoder> {
    const model = await load(source, this.#options);
    this.#made.push(model);
    return new Encoder(model);
  }

  async #open(source: ModelSource): Promise<readonly [ProgramSource, LanguageProgram]> {
    const { signal } = this.#options;
    const opened = await openProgram(source, signal === undefined ? {} : { signal });
    this.#made.push({ dispose: opened.close });
    return [opened, languageProgram(opened.program)];
  }

  async #load(opened: ProgramSource, { program, roles, returned, queries, least }: LanguageProgram): Promise<Part> {
    const model = await load({ ...opened, program }, this.#options);
    this.#made.push(model);
    return { model, roles, returned, queries, least };
  }
}

/** Throws `generate.program` unless a program that reads what an encoder made has one, and no other. */
function requireEncoder({ roles }: LanguageProgram, isThere: boolean): void {
  if (roles.some(({ kind }) => kind === "encoded") === isThere) return;
  throw generateError("generate.program", {
    what: isThere
      ? "The folder has an encoder, and the programs take nothing of it"
      : "The program reads what an encoder made, and there is no encoder",
    advice: isThere
      ? "give the programs of one export"
      : 'add it to the export before it is saved: `exported.components["encoder"] = exporter.export(model.get_encoder(), inputs, config).components["model"]`',
  });
}

/** The most tokens of a text: what masks of a fixed length have room for, and buffers and static caches for keys. */
function capacityOf({ program, roles }: LanguageProgram): number | null {
  const masks = roles.flatMap((role) => (role.kind === "mask" && role.shape.length === 4 ? [role.shape[3]!] : []));
  const keys = program.inputs.flatMap((spec) => {
    if (spec.kind !== "buffer" || !/key_cache|\.keys$/.test(spec.target)) return [];
    const type = program.graph.values.get(spec.value);
    return type?.kind === "tensor" && type.shape.length === 4 ? [type.shape[2]] : [];
  });
  const counted = roles.flatMap((role) => {
    if (role.kind !== "cache" || !role.name.endsWith(".keys")) return [];
    const counter = role.name.replace(/keys$/, "cumulative_length");
    return roles.some((other) => other.kind === "cache" && other.name === counter) ? [role.shape.at(-2)] : [];
  });
  return leastOf([...masks, ...keys, ...counted].map((size) => (typeof size === "number" ? size : null)));
}

function leastOf(capacities: readonly (number | null)[]): number | null {
  const known = capacities.filter((capacity) => capacity !== null);
  return known.length === 0 ? null : Math.min(...known);
}
