import type { Archive, ArchiveEntry, ArchiveOptions, Generation, ReadSignal } from "./archive.ts";
import type { ArchiveLayout } from "./archive-layout.ts";
import type { ByteSource } from "./byte-source.ts";
import { requireLittleEndian } from "./byteorder.ts";
import { requireEntry } from "./entry-storage.ts";
import { formatError } from "./format-errors.ts";
import { joinWeights, loadWeights, type WeightsLocation } from "./load-weights.ts";
import { type OptionTypes, wrongOptions } from "./options.ts";
import { parseProgram, schemaError } from "./program/decode-program.ts";
import type { ExportedProgram } from "./program/exported-program.ts";
import { Pt2Error } from "./pt2-error.ts";
import { recognizeArchive } from "./recognize-archive.ts";
import type { SampleInputs } from "./sample-inputs.ts";
import type { WeightTensor } from "./weight-tensor.ts";
import type { ZipEntry } from "./zip/zip-entry.ts";
import { ZipFile } from "./zip/zip-file.ts";

const OPTIONS: OptionTypes & Readonly<Record<keyof ArchiveOptions, string>> = {
  signal: "AbortSignal",
  verifyChecksums: "boolean",
  onWarning: "function",
};

/**
 * Opens a `.pt2` archive of any generation. Only the directory is read; programs, weights and sample inputs are read on
 * demand. For another kind of file the error names the kind. The archive owns the source, and closes it when it is
 * closed or cannot be opened.
 */
export async function openArchive(source: ByteSource, options: ArchiveOptions = {}): Promise<Archive> {
  if (typeof source?.read !== "function") (await import("./refuse-other-files.ts")).refuseNonSource(source);
  try {
    if (wrongOptions(options, OPTIONS).length > 0)
      (await import("./refuse-other-files.ts")).refuseOptions(options, OPTIONS);
    const { signal, verifyChecksums = source.isRemote === true } = options;
    const reading = { signal };
    const zip = (await ZipFile.open(source, verifyChecksums, reading)) ?? (await refuse(source, reading));
    const layout = await recognizeArchive(zip, reading);
    const byteorder = layout.root === "" ? "byteorder" : `${layout.root}/byteorder`;
    await requireLittleEndian(zip, byteorder, source.name ?? "archive", reading);
    return new OpenArchive(zip, layout, { ...options, verifyChecksums });
  } catch (problem) {
    await source.close?.();
    throw problem;
  }
}

async function refuse(source: ByteSource, options: ReadSignal): Promise<never> {
  const { refuseNonZip } = await import("./refuse-other-files.ts");
  return await refuseNonZip(source, options);
}

class OpenArchive implements Archive {
  readonly kind = "pt2";
  readonly generation: Generation;
  readonly root: string;
  readonly models: readonly string[];
  readonly entries: ReadonlyMap<string, ArchiveEntry>;
  readonly extraFiles: readonly string[];
  readonly hasAotInductor: boolean;
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, ZipEntry>;
  readonly #options: ArchiveOptions;
  readonly #programs: Map<string, Promise<ExportedProgram>> = new Map();
  readonly #states: Map<string, Promise<readonly WeightTensor[]>> = new Map();
  readonly #weights: Map<string, Promise<ReadonlyMap<string, WeightTensor>>> = new Map();

  #closed: Promise<void> | undefined;

  constructor(zip: ZipFile, layout: ArchiveLayout, options: ArchiveOptions) {
    this.generation = layout.generation;
    this.root = layout.root;
    this.models = layout.models;
    this.hasAotInductor = layout.hasAotInductor;
    this.#zip = zip;
    this.#entries = layout.entries;
    this.#options = options;
    this.entries = new Map(
      [...layout.entries].map(([name, { size, compressed }]) => [name, { name, size, compressed }]),
    );
    const folder = this.#extraFolder;
    this.extraFiles = [...layout.entries.keys()]
      .filter((name) => name.startsWith(folder))
      .map((name) => name.slice(folder.length));
  }

  async readEntry(name: string, options?: ReadSignal): Promise<Uint8Array> {
    const entry = this.#entries.get(name) ?? requireEntry(this.#zip, name, this.#zip.source.name ?? "archive");
    return this.#zip.read(entry, options);
  }

  async readExtraFile(name: string): Promise<string> {
    return new TextDecoder().decode(await this.readEntry(`${this.#extraFolder}${name}`));
  }

  async program(model?: string, options?: ReadSignal): Promise<ExportedProgram> {
    return once(this.#programs, this.#choose(model), (name) => this.#readProgram(name, options));
  }

  async stateDict(model?: string, options?: ReadSignal): Promise<readonly WeightTensor[]> {
    return once(this.#states, this.#choose(model), (name) => loadWeights(this.#place(name, "weights"), options));
  }

  async weights(model?: string, options?: ReadSignal): Promise<ReadonlyMap<string, WeightTensor>> {
    return once(this.#weights, this.#choose(model), (name) => this.#readWeights(name, options));
  }

  async sampleInputs(model?: string): Promise<SampleInputs | undefined> {
    const name = this.#choose(model);
    const entryName = this.#isFlat ? "serialized_example_inputs.pt" : `data/sample_inputs/${name}.pt`;
    try {
      const { loadSampleInputs } = await import("./load-sample-inputs.ts");
      return await loadSampleInputs(this.#zip, this.#entries.get(entryName), this.#verify);
    } catch (problem) {
      if (!(problem instanceof Pt2Error)) throw problem;
      this.#options.onWarning?.(problem);
      return undefined;
    }
  }

  async close(): Promise<void> {
    this.#closed ??= this.#zip.source.close?.() ?? Promise.resolve();
    await this.#closed;
  }

  get #isFlat(): boolean {
    return this.generation === "flat";
  }

  get #extraFolder(): string {
    return this.#isFlat ? "extra_files/" : "extra/";
  }

  get #verify(): boolean {
    return this.#options.verifyChecksums ?? false;
  }

  #choose(model: string | undefined): string {
    const names = this.models;
    if (model !== undefined && names.includes(model)) return model;
    if (model === undefined && names.length === 1) return names[0]!;
    const known = names.map((name) => JSON.stringify(name)).join(", ");
    throw formatError(model === undefined ? "format.choose-model" : "format.no-model", {
      what:
        model === undefined
          ? `the archive holds ${names.length} models and none was chosen`
          : `the archive has no model ${JSON.stringify(model)}`,
      where: this.#zip.source.name,
      advice: `pass one of these names: ${known}`,
      details: { models: names },
    });
  }

  async #readProgram(model: string, options?: ReadSignal): Promise<ExportedProgram> {
    const entryName = this.#programEntry(model);
    if (this.#isFlat) await this.#checkFlatVersion(options);
    return parseProgram(await this.readEntry(entryName, options), entryName);
  }

  #programEntry(model: string): string {
    return this.#isFlat ? "serialized_exported_program.json" : `models/${model}.json`;
  }

  /** The oldest files are not even valid JSON, so their version is checked first. */
  async #checkFlatVersion(options?: ReadSignal): Promise<void> {
    if (!this.#entries.has("version")) return;
    const version = new TextDecoder().decode(await this.readEntry("version", options)).trim();
    if (/^[0-4](\.|$)/.test(version)) throw schemaError(version, "before 2.5", "version");
  }

  async #readWeights(model: string, options?: ReadSignal): Promise<ReadonlyMap<string, WeightTensor>> {
    const enough = this.#expect(model, options);
    try {
      const [state, others, program] = await Promise.all([
        this.stateDict(model, options),
        loadWeights(this.#place(model, "constants"), options),
        this.program(model, options),
      ]);
      return joinWeights(state, others, program);
    } finally {
      enough();
    }
  }

  /** Announces the entries that describe a model, so that one remote read fetches them. */
  #expect(model: string, options?: ReadSignal): () => void {
    const places = (["weights", "constants"] as const).map((what) => this.#place(model, what));
    const entriesOf = (names: readonly (string | undefined)[]): ZipEntry[] =>
      names.flatMap((name) => this.#entries.get(name ?? "") ?? []);
    const pickled = entriesOf(places.map((place) => place.pickled));
    const plain = entriesOf([this.#programEntry(model), ...places.map(({ config }) => config)]);
    const ends = [this.#zip.expect(plain, options), this.#zip.expectInside(pickled, options)];
    return () => {
      for (const end of ends) end();
    };
  }

  #place(model: string, what: "weights" | "constants"): WeightsLocation {
    return {
      zip: this.#zip,
      entries: this.#entries,
      verify: this.#verify,
      folder: `data/${what}/`,
      pickled: this.#isFlat ? FLAT[what] : `data/${what}/${model}.pt`,
      config: this.#isFlat ? undefined : `data/${what}/${model}_${what}_config.json`,
    };
  }
}

const FLAT: Readonly<Record<"weights" | "constants", string>> = {
  weights: "serialized_state_dict.pt",
  constants: "serialized_constants.pt",
};

/** Reads once per model; a failed read is not cached. */
function once<T>(cache: Map<string, Promise<T>>, key: string, make: (key: string) => Promise<T>): Promise<T> {
  const held = cache.get(key);
  if (held !== undefined) return held;
  const made = make(key);
  cache.set(key, made);
  made.catch(() => cache.delete(key));
  return made;
}
