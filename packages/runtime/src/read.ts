import type { HostTensor } from "@pt2/backend";
import { hostTensor, viewAs } from "@pt2/backend";
import { type ExportedProgram, expectStorages, type Generation, openArchive, readTensor } from "@pt2/format";
import { importProgram, type Program } from "@pt2/graph";
import { type ModelSource, openSource } from "./open-source.ts";
import { inputsOf, type LeafInfo, type OutputInfo, outputsOf } from "./signature.ts";

/** What to read of an archive. */
export interface ReadModelOptions {
  /** Which model of the archive. @default the only one */
  readonly model?: string;
  readonly signal?: AbortSignal;
}

/** What a file says of its program. */
export interface Schema {
  readonly generation: Generation;
  /** Every model of the archive. */
  readonly models: readonly string[];
  readonly torchVersion: string;
  readonly schemaVersion: ExportedProgram["schemaVersion"];
  readonly dialect: string;
  readonly inputs: readonly LeafInfo[];
  readonly outputs: readonly OutputInfo[];
  /** The program as it was exported. */
  readonly program: Program;
}

/** Reads the structure of a program, and no weights. */
export async function readSchema(source: ModelSource, { model, signal }: ReadModelOptions = {}): Promise<Schema> {
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
 * Reads parameters, buffers and constants one after the other, by fully qualified name; bytes are read when a tensor
 * is reached. The source is closed when the loop ends.
 */
export async function* readWeights(
  source: ModelSource,
  { model, signal }: ReadModelOptions = {},
): AsyncGenerator<readonly [name: string, tensor: HostTensor], void, void> {
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
      yield [name, hostTensor(dtype, shape, viewAs(dtype, bytes))];
    }
  } finally {
    enough();
    await archive.close();
  }
}
