import type { Backend, CompileRequest, Executable, Prefetch } from "@pt2/backend";
import {
  type Archive,
  type ByteSource,
  type ExportedProgram,
  openArchive,
  type Pt2Error,
  type WeightTensor,
} from "@pt2/format";
import { importProgram, type Program } from "@pt2/graph";
import { hasUnfitMutations } from "@pt2/graph/passes";
import type { OpHandler, OpRegistry, OpSet } from "@pt2/registry";
import { atenOnDemand, builtInRegistry } from "@pt2/registry/on-demand";
import { LoadedModel } from "./loaded-model.ts";
import type { Model } from "./model.ts";
import type { ModelTypes, TypedModel } from "./model-types.ts";
import type { OpSource } from "./op-source.ts";
import { type ModelSource, openSource } from "./open-source.ts";
import { aliasWrittenBuffers, functionalizeAndFold, removeNoOpsAndRegions } from "./prepare.ts";
import { reportProgress } from "./report-progress.ts";
import { areOptions, LOAD_OPTIONS, neededWeights } from "./requirements.ts";

/** Options of {@link load}. */
export interface LoadOptions extends Pick<CompileRequest, "precision" | "onProgress" | "signal"> {
  /** The backend that runs the program, or a promise of one, as all backends are made. The runtime never chooses one. */
  readonly backend: Backend | PromiseLike<Backend>;
  /** Op sets in addition to `aten`, which is always included. */
  readonly ops?: readonly OpSet[];
  /** Handlers for ops of the program; they take precedence over kernels and decompositions. */
  readonly handlers?: readonly OpHandler[];
  /** An `OpLibrary` of `@pt2/registry`, or a module with `ops` and `handlers`. `ops` and `handlers` come after its own. */
  readonly library?: OpSource;
  /** The name of a model in the archive. @default the only one */
  readonly model?: string;
  /**
   * Compares the CRC-32 of every entry that is read. Weights of a file are then read instead of mapped, which takes up
   * to three times as long; without it, a damaged weight changes results without an error. @default true for addresses,
   * false for files and bytes
   */
  readonly verifyChecksums?: boolean;
  /**
   * Told what is slower than it could be, such as a program that cannot run in the worker. @default `console.warn`, once
   * for each backend and message
   */
  readonly onWarning?: (message: string) => void;
}

/** The options of a typed load; without a type there are none, so that plain calls have the plain {@link Model}. */
export type TypedLoadOptions<Types extends ModelTypes, Options = LoadOptions> = [Types] extends [never]
  ? never
  : Options;

/** A program that is in memory, such as one that `grad` of `@pt2/autograd` made, and its weights by name. */
export interface ProgramSource {
  /** The graph with its signature. */
  readonly program: Program;
  /** The parameters, buffers and constants that the program names; their bytes are read on demand. */
  readonly weights: ReadonlyMap<string, WeightTensor>;
  /** Closes what the weights are read from; called when the model is disposed, and when a load fails. */
  readonly close?: () => Promise<void>;
}

/** Like the other `load`, where a type that `pt2 types` wrote is named: `load<DigitsModel>(source, { backend })`. */
export function load<Types extends ModelTypes = never>(
  source: ModelSource | ProgramSource,
  options: TypedLoadOptions<Types>,
): Promise<TypedModel<Types>>;
/** Opens a `.pt2` file and prepares its program to run. A load that fails releases everything and closes its source. */
export function load(source: ModelSource | ProgramSource, options: LoadOptions): Promise<Model>;
export async function load(source: ModelSource | ProgramSource, options: LoadOptions): Promise<Model> {
  willBeAwaited(options?.backend);
  if (isProgramSource(source)) return await loadProgram(source, options, async () => opened(source));
  const bytes = await openSource(source, options?.signal);
  return await loadProgram(bytes, options, async (ready) => {
    const { model, signal, verifyChecksums } = ready;
    const archive = await openArchive(bytes, { signal, verifyChecksums });
    return {
      program: async () => guarded(await archive.program(model, { signal })),
      weights: () => archive.weights(model, { signal }),
      // A source with an origin is local: reading ahead weights that turn out to be unused costs no download.
      prefetch: async () => (bytes.origin === undefined ? undefined : await begin(archive, ready)),
      customOps: async () => await (await import("./custom-ops.ts")).readCustomOps(archive),
      close: () => archive.close(),
    };
  });
}

/** Returns whether a source is a program in memory. */
export function isProgramSource(source: ModelSource | ProgramSource): source is ProgramSource {
  return typeof source === "object" && source !== null && "program" in source && "weights" in source;
}

/** A bound of a single size or number that ranges have too: no lower one up to 2, which ranges of all sizes may have. */
const IN_RANGES = /^L\[[^\s*]+ (<=? \d+|> (?![01]$)\d+|>= (?![012]$)\d+)$/;

/** Imports a program with its guards, which few files have. */
export async function guarded(file: ExportedProgram): Promise<Program> {
  const program = importProgram(file);
  if (file.guardsCode.every((guard) => IN_RANGES.test(guard))) return program;
  return (await import("@pt2/graph/functionalize")).assertGuards(program, file.guardsCode);
}

function opened({ program, weights, close = async () => {} }: ProgramSource): OpenProgram {
  return {
    program: async () => program,
    weights: async () => weights,
    prefetch: async () => undefined,
    customOps: async () => program.customOps ?? null,
    close,
  };
}

/** A program and its weights, where they are read from. */
export interface OpenProgram {
  program(): Promise<Program>;
  weights(): Promise<ReadonlyMap<string, WeightTensor>>;
  /** Lets the backend read weights while the program is parsed. */
  prefetch(): Promise<Prefetch | undefined>;
  /** What it says about ops of packages; null where it says nothing. Called only where it matters. */
  customOps(): Promise<NonNullable<Program["customOps"]> | null>;
  close(): Promise<void>;
}

/** The options once the backend is made. */
export interface ReadyOptions extends LoadOptions {
  readonly backend: Backend;
}

/** Marks the promise of a backend as awaited: a source is opened before its failure is reported, and then closed. */
export function willBeAwaited(backend: LoadOptions["backend"] | undefined): void {
  Promise.resolve(backend).catch(() => {});
}

/** Loads what `open` opens. `source` is closed if that is not reached. */
export async function loadProgram(
  source: Pick<ByteSource, "close">,
  given: LoadOptions,
  open: (options: ReadyOptions) => Promise<OpenProgram>,
): Promise<Model> {
  let options: ReadyOptions;
  let registry: OpRegistry;
  try {
    const merged = given?.library === undefined ? given : (await import("./user-ops.ts")).withLibrary(given);
    options = { ...merged, backend: await given?.backend };
    registry = await registryOf(options);
  } catch (problem) {
    await source.close?.();
    throw problem;
  }
  const { backend, precision, signal, onProgress, onWarning } = options;
  const opened = await open(options);
  let prefetch: Prefetch | undefined;
  let executable: Executable | undefined;
  try {
    const description = opened.weights();
    description.catch(() => {});
    const reading = opened.program();
    reading.catch(() => {});
    prefetch = await opened.prefetch();
    const imported = await reading;
    const weights = await description;
    const simplified = await removeNoOpsAndRegions(
      await aliasWrittenBuffers(imported, weights),
      registry,
      backend.capabilities,
    );
    const program = await functionalizeAndFold(simplified, registry, backend.capabilities);
    if (!isPlain(options)) {
      (await import("./refusals.ts")).requireHandlers(backend, program, registry);
      const customOps = await opened.customOps();
      if (customOps) (await import("./custom-ops.ts")).requireSchemas(program, registry, customOps);
    }
    const found = neededWeights(program, weights);
    if (found.absent.length > 0) (await import("./refusals.ts")).refuseWeights(found);
    signal?.throwIfAborted();
    const onDispose = (): Promise<void> => opened.close();
    const progress = reportProgress(onProgress);
    const compiler = hasUnfitMutations(program) ? (await import("./relaid-buffers.ts")).relaid(backend) : backend;
    executable = await compiler.compile({
      program,
      weights,
      registry,
      prefetch,
      onDispose,
      ...progress.request,
      ...(precision && { precision }),
      ...(signal && { signal }),
    });
    progress.finish();
    const { onCallingThread } = executable;
    if (onCallingThread !== undefined)
      (onWarning ?? (await import("./warn-once.ts")).warnOnce(backend))(onCallingThread);
    return new LoadedModel({ backend, program, executable, archive: opened });
  } catch (problem) {
    await executable?.dispose();
    await prefetch?.discard();
    const told = await explained(problem, opened);
    await opened.close();
    throw told;
  }
}

/** Names the packages that have the ops that a backend cannot run, where the file knows them. */
async function explained(problem: unknown, { customOps }: OpenProgram): Promise<unknown> {
  if ((problem as Partial<Pt2Error>)?.code !== "runtime.unsupported-ops") return problem;
  const { withPackages } = await import("./custom-ops.ts");
  return withPackages(problem, await customOps().catch(() => null));
}

/** Whether there are no ops or handlers of users. */
function isPlain({ ops = [], handlers = [] }: LoadOptions): boolean {
  return ops.length + handlers.length === 0;
}

/** Checks the options and creates the registry. The code for users' ops is loaded only if there are some. */
async function registryOf(options: ReadyOptions): Promise<OpRegistry> {
  if (!areOptions(options)) (await import("./refusals.ts")).refuseOptions(options, LOAD_OPTIONS);
  const { backend, ops = [], handlers = [] } = options;
  const registry = isPlain(options)
    ? builtInRegistry(atenOnDemand)
    : (await import("./user-ops.ts")).registryWith(atenOnDemand, ops, handlers, backend);
  // These ops are in nearly every program, so they load while the file is opened. The later load reports a failure.
  registry.load(["aten::add.Tensor"]).catch(() => {});
  return registry;
}

/** Lets the backend read weights while the program is parsed and prepared. The later read reports errors of weights. */
async function begin(archive: Archive, { backend, model, signal }: ReadyOptions): Promise<Prefetch | undefined> {
  if (backend.prefetch === undefined) return undefined;
  const state = await archive.stateDict(model, { signal }).catch(() => undefined);
  return state && (await backend.prefetch(state, signal));
}
