import {
  BACKEND_API_VERSION,
  type Backend,
  type Capabilities,
  type CompileRequest,
  type HostTensor,
  requireSeed,
  type Seed,
  type Tensor,
  type UnsupportedOp,
} from "@pt2/backend";
import type { OpName, Program } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";
import { Abilities, LIBTORCH_DTYPES } from "./abilities.ts";
import type { Addon, LibtorchInfo, NativeMemory } from "./addon.ts";
import { type AotiModel, type AotiOptions, openAoti } from "./aoti.ts";
import { compileProgram } from "./compile-program.ts";
import { requireDevice, suitsOwnKernels, widenedOn } from "./device.ts";
import { Dispatcher } from "./dispatcher.ts";
import { callOp, callOpSync, type OpCaller } from "./eager/call-op.ts";
import type { OpArgs, OpResult } from "./eager/op-args.ts";
import { LibtorchExecutable } from "./executable.ts";
import { kernelSourcesOf } from "./handlers/kernel.ts";
import type { KeptWeights } from "./kept/kept-weights.ts";
import { libraryPath } from "./library-path.ts";
import { libtorchError } from "./libtorch-errors.ts";
import { located } from "./native-failure.ts";
import { fromTensor, type Outputs, toTensor } from "./native-tensor.ts";
import { optimize } from "./optimize/optimize.ts";
import { overwriteParts } from "./optimize/overwrite-parts.ts";
import { reshapeViews } from "./optimize/reshape-views.ts";
import { routerTarget } from "./optimize/router-target.ts";
import { updateInPlace } from "./optimize/update-in-place.ts";
import type { LibtorchOptions } from "./options.ts";
import { Router } from "./routes.ts";
import { SourceLibraries } from "./source-libraries.ts";
import { TurnBudget } from "./turn-budget.ts";

const CAPABILITIES: Capabilities = {
  dtypes: LIBTORCH_DTYPES,
  handlers: true,
  dynamicSizes: true,
  offThread: true,
  mutation: true,
};

/** libtorch in this process: a backend for programs, and its ops one by one. */
export class LibtorchBackend implements Backend {
  readonly name = "libtorch";
  readonly apiVersion: typeof BACKEND_API_VERSION = BACKEND_API_VERSION;
  readonly capabilities: Capabilities = CAPABILITIES;
  /** The device on which it runs programs: `cpu` or `cuda:0`. */
  readonly device: string;
  readonly #addon: Addon;
  readonly #outputs: Outputs;
  readonly #cudaGraphs: boolean;
  readonly #ownKernels: boolean;
  readonly #weights: LibtorchOptions["weights"];
  readonly #mmap: boolean | undefined;
  readonly #kept: KeptWeights | undefined;
  readonly #dispatcher: Dispatcher;
  readonly #libraries = new Set<string>();
  readonly #sources: SourceLibraries;
  readonly #atOnceMs: number;
  readonly #budget = new TurnBudget();
  readonly #executables = new Set<LibtorchExecutable>();
  #abilities = new WeakMap<OpRegistry, Abilities>();
  #disposed: Promise<unknown> | undefined;

  /** `kept` keeps packed weights from one load to the next. */
  constructor(addon: Addon, options: LibtorchOptions = {}, kept?: KeptWeights) {
    const { device = "cpu", threads, concurrency, libraries = [], flags, outputs = "host", weights } = options;
    this.#addon = addon;
    this.#outputs = outputs;
    this.#weights = weights;
    this.#mmap = options.mmap;
    this.#kept = kept;
    this.#atOnceMs = options.atOnceMs ?? 0.1;
    this.device = requireDevice(device, addon.info());
    this.#ownKernels = options.cudaKernels ?? suitsOwnKernels(this.device, addon.info());
    this.#cudaGraphs = options.cudaGraphs ?? false;
    this.#dispatcher = new Dispatcher(addon, this.device);
    this.#sources = new SourceLibraries(this.#dispatcher, (path) => this.loadLibrary(path));
    located(() => {
      if (threads !== undefined) addon.setThreads(threads);
      if (concurrency !== undefined) addon.setConcurrency(concurrency);
      if (flags !== undefined) addon.setFlags(flags);
    });
    for (const library of libraries) this.loadLibrary(library);
  }

  async unsupported(program: Program, registry: OpRegistry): Promise<readonly UnsupportedOp[]> {
    await this.#sources.provide(program, registry);
    return (await this.#abilitiesFor(registry).examine(program)).missing;
  }

  async compile(request: CompileRequest): Promise<LibtorchExecutable> {
    this.#requireAlive();
    const lacks = await this.#sources.provide(request.program, request.registry);
    const abilities = this.#abilitiesFor(request.registry);
    const target = routerTarget(abilities.router, {
      weights: this.#weights,
      widened: widenedOn(this.device, this.#addon.info()),
      ownKernels: this.#ownKernels,
    });
    const compiled = await compileProgram(request, {
      addon: this.#addon,
      device: this.device,
      mmap: this.#mmap,
      kept: this.device === "cpu" ? this.#kept : undefined,
      abilities,
      optimize: (program, isFunctional) => optimize(program, target, isFunctional),
      relocate: (program) => (this.device === "cpu" ? program : reshapeViews(program, target)),
      updateInPlace: (committed) => updateInPlace(overwriteParts(committed, target), target),
    });
    const onDispose = async (): Promise<void> => {
      this.#executables.delete(executable);
      await request.onDispose?.();
    };
    const options = {
      device: this.device,
      outputs: this.#outputs,
      capture: this.#cudaGraphs,
      atOnceMs: this.#atOnceMs,
      alone: request.precision !== "exact",
      budget: this.#budget,
      onDispose,
    };
    const executable = new LibtorchExecutable({ ...compiled, notes: [...lacks, ...compiled.notes] }, options);
    this.#executables.add(executable);
    if (this.#disposed !== undefined) await executable.dispose();
    this.#requireAlive();
    return executable;
  }

  async upload(tensor: HostTensor): Promise<Tensor> {
    this.#requireAlive();
    return await toTensor(fromTensor(tensor, this.#addon, this.device, "The tensor"), "device");
  }

  /** Runs one op by its schema: `call("aten::topk", { self, k: 3 })`. It returns one entry per return. */
  async call(op: OpName, args: OpArgs): Promise<readonly OpResult[]> {
    this.#requireAlive();
    return await callOp(op, args, this.#caller());
  }

  /** Runs one op as `call` does, on the calling thread. */
  callSync(op: OpName, args: OpArgs): readonly OpResult[] {
    this.#requireAlive();
    return callOpSync(op, args, this.#caller());
  }

  /** Loads a shared library that registers ops with TORCH_LIBRARY, for the whole process. It runs code. */
  loadLibrary(path: string | URL): void {
    this.#requireAlive();
    const library = libraryPath(path);
    if (this.#libraries.has(library)) return;
    located(() => this.#addon.loadLibrary(library));
    this.#libraries.add(library);
    this.#dispatcher.refresh();
    this.#abilities = new WeakMap();
  }

  /** Opens a package that AOTInductor compiled. It holds native code: open only packages that you trust. */
  loadAoti(path: string, options: AotiOptions = {}): AotiModel {
    this.#requireAlive();
    return openAoti(this.#addon, path, options, this.device, this.#outputs);
  }

  /** Seeds all generators of the process, as `torch.manual_seed` does. */
  manualSeed(seed: Seed): void {
    requireSeed(seed);
    located(() => this.#addon.manualSeed(BigInt(seed)));
  }

  /** Describes version, threads, CPU capability and CUDA devices. */
  info(): LibtorchInfo {
    return this.#addon.info();
  }

  /** Returns the bytes in libtorch's allocators, of the whole process: of the CPU, and of each GPU. */
  memory(): NativeMemory {
    return this.#addon.memory();
  }

  async dispose(): Promise<void> {
    this.#disposed ??= Promise.all([...this.#executables].map((executable) => executable.dispose()));
    await this.#disposed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  #caller(): OpCaller {
    return { addon: this.#addon, dispatcher: this.#dispatcher, outputs: this.#outputs };
  }

  #abilitiesFor(registry: OpRegistry): Abilities {
    const known = this.#abilities.get(registry);
    if (known !== undefined) return known;
    const { kernels, libraries } = kernelSourcesOf(registry);
    for (const library of libraries) this.loadLibrary(library);
    const abilities = new Abilities(new Router(this.#dispatcher, registry, kernels));
    this.#abilities.set(registry, abilities);
    return abilities;
  }

  #requireAlive(): void {
    if (this.#disposed === undefined) return;
    throw libtorchError("libtorch.disposed", {
      what: "The libtorch backend was disposed",
      advice: "Make a new one with libtorch().",
    });
  }
}
