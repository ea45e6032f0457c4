import type { Backend, CompileRequest, Executable, Prefetch } from "@pt2/backend";
import { type Archive, openArchive } from "@pt2/format";
import { unlessAborted } from "@pt2/format/abort";
import { importProgram } from "@pt2/graph";
import type { OpHandler, OpRegistry, OpSet } from "@pt2/registry";
import { atenOnDemand, builtInRegistry } from "@pt2/registry/on-demand";
import { LoadedModel } from "./loaded-model.ts";
import type { Model } from "./model.ts";
import { type ModelSource, openSource } from "./open-source.ts";
import { complete, tidy, tied } from "./prepare.ts";
import { reportProgress } from "./report-progress.ts";
import {
  requireContract,
  requireKernelNames,
  requireOptions,
  requireSupported,
  requireWeights,
} from "./requirements.ts";

/** How a model is loaded. */
export interface LoadOptions extends Pick<CompileRequest, "precision" | "onProgress" | "signal"> {
  /** What runs the program. The runtime never chooses one. */
  readonly backend: Backend;
  /** Op sets beside `aten`, which is always there. */
  readonly ops?: readonly OpSet[];
  /** Handlers for ops of the program; they come before everything else that could run them. */
  readonly handlers?: readonly OpHandler[];
  /** Which model of the archive. @default the only one */
  readonly model?: string;
  /**
   * Compare the CRC-32 of every record that is read. Weights in a file are then read instead of mapped, and take up to
   * three times as long to load; a damaged weight gives other numbers and no error otherwise.
   * @default true for addresses, false for files and bytes
   */
  readonly verifyChecksums?: boolean;
}

/** Opens a `.pt2` file and prepares its program to run. A load that fails leaves nothing behind, its source closed. */
export async function load(source: ModelSource, options: LoadOptions): Promise<Model> {
  const bytes = await openSource(source, options?.signal);
  let registry: OpRegistry;
  try {
    registry = await registryOf(options);
  } catch (problem) {
    await bytes.close?.();
    throw problem;
  }
  const { backend, ops: _ops, handlers: _handlers, model, verifyChecksums, onProgress, ...compileOptions } = options;
  const { signal } = options;
  const archive = await openArchive(bytes, { signal, verifyChecksums });
  let prefetch: Prefetch | undefined;
  let executable: Executable | undefined;
  try {
    const description = archive.weights(model, { signal });
    description.catch(() => {});
    const reading = archive.program(model, { signal });
    reading.catch(() => {});
    // What has an origin is on this machine: reading weights that are not needed after all costs nobody a download.
    if (bytes.origin !== undefined) prefetch = await begin(archive, options);
    const exported = await reading;
    const weights = await description;
    const tidied = await tidy(await tied(importProgram(exported), weights), registry, backend.capabilities);
    const program = await complete(tidied, registry, backend.capabilities);
    await unlessAborted(requireSupported(backend, program, registry), signal);
    requireWeights(program, weights);
    signal?.throwIfAborted();
    const onDispose = (): Promise<void> => archive.close();
    const progress = reportProgress(onProgress);
    executable = await backend.compile({
      program,
      weights,
      registry,
      prefetch,
      onDispose,
      ...progress.request,
      ...compileOptions,
    });
    progress.finish();
    return new LoadedModel({ backend, program, executable, archive });
  } catch (problem) {
    await executable?.dispose();
    await prefetch?.discard();
    await archive.close();
    throw problem;
  }
}

/** The ops of a load whose options make sense. What takes those of users loads for programs that come with some. */
async function registryOf(options: LoadOptions): Promise<OpRegistry> {
  requireOptions(options);
  requireContract(options.backend);
  const { backend, ops = [], handlers = [] } = options;
  await requireKernelNames(ops, backend);
  const isPlain = ops.length + handlers.length === 0;
  const sets = [...atenOnDemand, ...ops];
  const registry = isPlain
    ? builtInRegistry(sets)
    : (await import("@pt2/registry/own-ops")).createRegistry({ sets, handlers });
  // Every program adds something: these ops are on their way while the file is opened. A failure is told where it counts.
  registry.load(["aten::add.Tensor"]).catch(() => {});
  return registry;
}

/** Lets the backend read weights while the program is parsed and prepared. What is wrong with them is told later. */
async function begin(archive: Archive, { backend, model, signal }: LoadOptions): Promise<Prefetch | undefined> {
  if (backend.prefetch === undefined) return undefined;
  const state = await archive.stateDict(model, { signal }).catch(() => undefined);
  return state && (await backend.prefetch(state, signal));
}
