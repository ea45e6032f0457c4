import type { ModelSource } from "@pt2/runtime";
import { generateError } from "./generate-errors.ts";

/** Files of one folder, by name. */
export interface Folder {
  /** Where it is, for messages. */
  readonly where: string;
  /** The JSON of a file; null if there is no such file. */
  json(name: string, signal: AbortSignal | undefined): Promise<unknown>;
  /** A program in it. */
  source(name: string): ModelSource;
}

/** Whether an address or a path is that of a program; others are folders. */
export function isProgram(address: string | URL): boolean {
  return /\.pt2($|[?#])/.test(String(address));
}

/** What a folder has for the generation of tokens. */
export interface ExportedModel {
  /** The program that reads the beginning of a text, or all of it. */
  readonly first: string;
  /** The program that reads more of it, one token at a time or several; null: the first one does. */
  readonly next: string | null;
  /** The program whose result these two read; null: there is none. */
  readonly encoder: string | null;
  /** The token that a text begins with which has no other beginning; null: none is known. */
  readonly start: number | null;
  /** How many tokens a static cache has by the settings of the export. */
  readonly capacity: number | null;
  /** How many tokens before it a token sees in some layers; null: all of them. */
  readonly window: number | null;
  /** `generation_config.json`, with the tokens of `config.json` where it has none. */
  readonly generation: Readonly<Record<string, unknown>>;
}

/** The newest layout of `export.json` that is known here. */
const SCHEMA = 1;

/** Reads `export.json`, `config.json` and `generation_config.json`, which `save_pretrained` of an export of transformers writes. */
export async function readFolder(folder: Folder, signal: AbortSignal | undefined): Promise<ExportedModel> {
  const [manifest, settings, config] = await Promise.all(
    ["export.json", "generation_config.json", "config.json"].map((name) => folder.json(name, signal)),
  );
  const { where } = folder;
  if ((manifest ?? null) === null) {
    throw generateError("generate.folder", {
      what: "There is no export.json",
      where,
      advice:
        "give the folder that `DynamoExporter().export_for_generation(…).save_pretrained(folder)` of transformers wrote, or a `.pt2` file",
    });
  }
  const { schema_version: version, export_format: format, components } = objectOf(manifest);
  if (format !== "dynamo" || typeof version !== "number" || version > SCHEMA) {
    throw generateError("generate.folder", {
      what: `export.json is of format ${JSON.stringify(format)}, version ${JSON.stringify(version)}, not of "dynamo", version ${SCHEMA}`,
      where,
      advice: "export with DynamoExporter",
    });
  }
  const files = new Map(
    Object.entries(objectOf(components)).flatMap(([name, component]) => {
      const { file } = objectOf(component);
      return typeof file === "string" && isFileName(file) ? [[name, file] as const] : [];
    }),
  );
  const names = [...files.keys()].sort().join(" ");
  const first = files.get("prefill") ?? files.get("model");
  if (first === undefined || !["decode prefill", "decode encoder prefill", "model"].includes(names)) {
    throw generateError("generate.folder", {
      what: `The export consists of ${names || "no programs"}, not of prefill and decode`,
      where,
      advice:
        "models of text, and those with one encoder, are generated with; call the programs of others with `load` of @pt2/runtime, one after the other",
    });
  }
  const model = objectOf(config);
  const generation = withModelTokens(objectOf(settings), model);
  const { max_cache_len: length, decoder_start_token_id: start } = generation;
  return {
    first,
    next: files.get("decode") ?? null,
    encoder: files.get("encoder") ?? null,
    start: Number.isSafeInteger(start) ? (start as number) : null,
    capacity: Number.isSafeInteger(length) ? (length as number) : null,
    window: windowOf(model),
    generation,
  };
}

/** The settings, with the tokens that are said of the model where they say nothing. */
function withModelTokens(
  settings: Readonly<Record<string, unknown>>,
  model: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const tokens = ["eos_token_id", "decoder_start_token_id", "forced_bos_token_id", "forced_eos_token_id"];
  return { ...settings, ...Object.fromEntries(tokens.map((name) => [name, settings[name] ?? model[name]])) };
}

function windowOf(config: Readonly<Record<string, unknown>>): number | null {
  const { sliding_window: window, use_sliding_window: isUsed } = config;
  return Number.isSafeInteger(window) && isUsed !== false ? (window as number) : null;
}

/** A name as it stands in a manifest of others may not leave the folder. */
function isFileName(name: string): boolean {
  return /^[\w.-]+\.pt2$/.test(name);
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
