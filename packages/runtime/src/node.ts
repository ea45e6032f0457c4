/** The exports of `@pt2/runtime`, with file paths as sources. */
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
import type { HostTensor } from "@pt2/backend";
import type { ByteSource } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import {
  isProgramSource,
  type LoadOptions,
  load as loadSource,
  type ProgramSource,
  type TypedLoadOptions,
  willBeAwaited,
} from "./load.ts";
import { loadJsonProgram } from "./load-json-program.ts";
import type { Model } from "./model.ts";
import type { ModelTypes, TypedModel } from "./model-types.ts";
import { type ModelSource, openSource } from "./open-source.ts";
import {
  openProgram as openProgramOf,
  type ReadModelOptions,
  readSchema as readSchemaOf,
  readWeights as readWeightsOf,
  type Schema,
} from "./read.ts";

export * from "./index.ts";

/** Opens a source; a string that does not begin with `http://`, `https://` or `file://` is a path. */
export async function openFile(source: ModelSource, signal?: AbortSignal): Promise<ByteSource> {
  const isAddress = typeof source === "string" && /^(https?|file):\/\//i.test(source);
  if (typeof source === "string" && !isAddress) return await fromFile(source);
  if ((isAddress || source instanceof URL) && /^file:/i.test(String(source)))
    return await fromFile(fileURLToPath(source));
  const opened = await openSource(source, signal);
  // Sources that the caller created stay unchanged.
  return typeof source === "string" || source instanceof URL ? { ...opened, crc32 } : opened;
}

/** Options of `load` in Node. */
export interface FileLoadOptions extends LoadOptions {
  /**
   * A safetensors file with the weights. The source is then a program without weights, as `toJson` of `@pt2/graph` and
   * `pt2 graph FILE --format json` write it. Weights that shared memory in the module are separate here.
   */
  readonly weights?: ModelSource;
}

/** Like the other `load`, where a type that `pt2 types` wrote is named: `load<DigitsModel>(source, { backend })`. */
export function load<Types extends ModelTypes = never>(
  source: ModelSource | ProgramSource,
  options: TypedLoadOptions<Types, FileLoadOptions>,
): Promise<TypedModel<Types>>;
/** Like `load` of `@pt2/runtime`; a string may be a path. */
export function load(source: ModelSource | ProgramSource, options: FileLoadOptions): Promise<Model>;
export async function load(source: ModelSource | ProgramSource, options: FileLoadOptions): Promise<Model> {
  willBeAwaited(options?.backend);
  if (isProgramSource(source)) return await loadSource(source, options);
  const opened = await openFile(source, options?.signal);
  if (options?.weights === undefined) return await loadSource(opened, options);
  const { weights, ...rest } = options;
  const weightFile = await openFile(weights, rest.signal).catch(async (problem: unknown) => {
    await opened.close?.();
    throw problem;
  });
  return await loadJsonProgram(opened, weightFile, rest);
}

/** Like `openProgram` of `@pt2/runtime`; a string may be a path. */
export async function openProgram(
  source: ModelSource,
  options: ReadModelOptions = {},
): Promise<Required<ProgramSource>> {
  return await openProgramOf(await openFile(source, options?.signal), options);
}

/** Like `readSchema` of `@pt2/runtime`; a string may be a path. */
export async function readSchema(source: ModelSource, options: ReadModelOptions = {}): Promise<Schema> {
  return await readSchemaOf(await openFile(source, options?.signal), options);
}

/** Like `readWeights` of `@pt2/runtime`; a string may be a path. */
export async function* readWeights(
  source: ModelSource,
  options: ReadModelOptions = {},
): AsyncGenerator<readonly [name: string, tensor: HostTensor], void, void> {
  yield* readWeightsOf(await openFile(source, options?.signal), options);
}
