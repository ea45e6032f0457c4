import type { Backend, CompileRequest, Prefetch } from "@pt2/backend";
import { type Archive, openArchive } from "@pt2/format";
import { importProgram } from "@pt2/graph";
import type { OpHandler, OpSet } from "@pt2/registry";
import { atenOnDemand, createRegistry, loading } from "@pt2/registry/on-demand";
import { LoadedModel } from "./loaded-model.ts";
import type { Model } from "./model.ts";
import { type ModelSource, openSource } from "./open-source.ts";
import { complete, tidy, tied } from "./prepare.ts";
import { requireContract, requireSupported, requireWeights } from "./requirements.ts";

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
}

/** Opens a `.pt2` file and prepares its program to run. A load that fails leaves nothing behind, its source closed. */
export async function load(source: ModelSource, options: LoadOptions): Promise<Model> {
  const { backend, ops = [], handlers = [], model, ...compileOptions } = options;
  const { signal } = options;
  const registry = createRegistry({ sets: [...atenOnDemand, ...ops], handlers });
  // Every program adds something: these ops are on their way while the file is opened. A failure is told where it counts.
  registry.load(["aten::add.Tensor"]).catch(() => {});
  const bytes = await openSource(source, signal);
  const archive = await openArchive(bytes, { signal });
  let prefetch: Prefetch | undefined;
  try {
    requireContract(backend);
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
    await requireSupported(backend, program, registry);
    requireWeights(program, weights);
    signal?.throwIfAborted();
    const executable = await loading(async (again) => {
      // What a backend had read before it found that an op was missing, it gave back.
      if (again) await prefetch?.discard();
      const ahead = again ? undefined : prefetch;
      return await backend.compile({ program, weights, registry, prefetch: ahead, ...compileOptions });
    });
    return new LoadedModel({ backend: backend.name, program, executable, archive });
  } catch (problem) {
    await prefetch?.discard();
    await archive.close();
    throw problem;
  }
}

/** Lets the backend read weights while the program is parsed and prepared. What is wrong with them is told later. */
async function begin(archive: Archive, { backend, model, signal }: LoadOptions): Promise<Prefetch | undefined> {
  if (backend.prefetch === undefined) return undefined;
  const state = await archive.stateDict(model, { signal }).catch(() => undefined);
  return state && (await backend.prefetch(state, signal));
}
