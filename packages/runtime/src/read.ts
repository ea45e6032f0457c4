import { HostTensor } from "@pt2/backend";
import { type ExportedProgram, expectStorages, type Generation, openArchive, readTensor } from "@pt2/format";
import { type OptionTypes, requireOptions } from "@pt2/format/options";
import { importProgram, type Program } from "@pt2/graph";
import { guarded, type ProgramSource } from "./load.ts";
import { type ModelSource, openSource } from "./open-source.ts";
import { inputsOf, type LeafInfo, type OutputInfo, outputsOf } from "./signature.ts";

/** Options of reading an archive. */
export interface ReadModelOptions {
  /** The name of a model in the archive. @default the only one */
  readonly model?: string;
  /** Aborts the reading, which rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** The metadata of a program in a file. */
export interface Schema {
  /** The kind of archive, by the versions of PyTorch that write it. */
  readonly generation: Generation;
  /** The names of all models in the archive. */
  readonly models: readonly string[];
  /** The PyTorch that saved the program, such as `2.13.0+cpu`. */
  readonly torchVersion: string;
  /** The version of the file's own schema. */
  readonly schemaVersion: ExportedProgram["schemaVersion"];
  /** `TRAINING` for training IR, `ATEN` after `run_decompositions()`. */
  readonly dialect: string;
  /** The leaves that a call takes, in flattened order. */
  readonly inputs: readonly LeafInfo[];
  /** The leaves that a call returns, in flattened order. */
  readonly outputs: readonly OutputInfo[];
  /** The program before any pass. */
  readonly program: Program;
}

const OPTIONS: OptionTypes = { model: "string", signal: "AbortSignal" };

/** Reads the structure of a program, without weights. */
export async function readSchema(source: ModelSource, options: ReadModelOptions = {}): Promise<Schema> {
  requireOptions("readSchema()", options, OPTIONS, "backend.options");
  const { model, signal } = options;
  const archive = await openArchive(await openSource(source, signal), { signal });
  try {
    const exported = await archive.program(model, { signal });
    const program = importProgram(exported);
    return {
      generation: archive.generation,
      models: archive.models,
      torchVersion: exported.torchVersion,
      schemaVersion: exported.schemaVersion,
      dialect: exported.dialect,
      inputs: inputsOf(program),
      outputs: outputsOf(program),
      program,
    };
  } finally {
    await archive.close();
  }
}

/**
 * Opens the program of a file with its weights, for passes over it and for `load`: `grad` of `@pt2/autograd` makes a
 * program with gradients of it, for example. The caller closes it, or the model that `load` makes of it does. Weights are
 * read on demand.
 */
export async function openProgram(
  source: ModelSource,
  options: ReadModelOptions = {},
): Promise<Required<ProgramSource>> {
  requireOptions("openProgram()", options, OPTIONS, "backend.options");
  const { model, signal } = options;
  const archive = await openArchive(await openSource(source, signal), { signal });
  try {
    const program = await guarded(await archive.program(model, { signal }));
    return { program, weights: await archive.weights(model, { signal }), close: () => archive.close() };
  } catch (problem) {
    await archive.close();
    throw problem;
  }
}

/**
 * Reads parameters, buffers and constants one by one, by fully qualified name; the bytes of a tensor are read when the
 * loop reaches it. The source is closed when the loop ends.
 */
export async function* readWeights(
  source: ModelSource,
  options: ReadModelOptions = {},
): AsyncGenerator<readonly [name: string, tensor: HostTensor], void, void> {
  requireOptions("readWeights()", options, OPTIONS, "backend.options");
  const { model, signal } = options;
  const archive = await openArchive(await openSource(source, signal), { signal });
  let enough = (): void => {};
  try {
    const weights = await archive.weights(model, { signal });
    enough = expectStorages(
      Array.from(weights.values(), ({ storage }) => storage),
      signal,
    );
    for (const [name, weight] of weights) {
      const { dtype, shape, bytes } = await readTensor(weight, signal);
      yield [name, new HostTensor(dtype, shape, bytes)];
    }
  } finally {
    enough();
    await archive.close();
  }
}
