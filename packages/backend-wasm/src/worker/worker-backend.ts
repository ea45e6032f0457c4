import type { Backend, Capabilities, CompileRequest, Executable, Seed, UnsupportedOp } from "@pt2/backend";
import { BACKEND_API_VERSION, requireSeed } from "@pt2/backend";
import { type SourceOrigin, type Storage, unlessAborted } from "@pt2/format";
import { type Program, stats } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";
import { CAPABILITIES } from "../capabilities.ts";
import type { WasmKernel } from "../engine/kernel.ts";
import { LocalBackend } from "../local-backend.ts";
import type { Threads } from "../threads/thread-count.ts";
import { backendDisposed } from "../wasm-errors.ts";
import { raiseOnAbort, sharedFlag } from "./cancel-flag.ts";
import type { WireRules } from "./rule-messages.ts";
import { type RemoteExecutable, WorkerChannel, type WorkerHandle } from "./worker-channel.ts";
import { WorkerExecutable } from "./worker-executable.ts";

/**
 * The backend in a worker, started with the first program, so that the calling thread stays free. The worker evaluates
 * rules of users' ops on the calling thread. Programs that need functions of users on data (handlers, kernels) run on
 * the calling thread, because functions cannot cross threads.
 */
export class WorkerBackend implements Backend {
  readonly name = "wasm";
  readonly apiVersion: typeof BACKEND_API_VERSION = BACKEND_API_VERSION;
  readonly capabilities: Capabilities = { ...CAPABILITIES, offThread: true };
  readonly #local: LocalBackend;
  readonly #threads: Threads;
  readonly #start: () => WorkerHandle;
  readonly #executables = new Set<WorkerExecutable>();
  #channel: WorkerChannel | null = null;
  #next = 0;
  #seed: Seed | null = null;
  #disposed: Promise<void> | undefined;

  /** Takes what starts the worker, and the threads there and on the calling thread. */
  constructor(start: () => WorkerHandle, threads: Threads, local: Threads = threads) {
    this.#start = start;
    this.#threads = threads;
    this.#local = new LocalBackend(local);
  }

  async unsupported(program: Program, registry: OpRegistry): Promise<readonly UnsupportedOp[]> {
    if (needsUsers(program, registry) !== null) return await this.#local.unsupported(program, registry);
    const channel = this.#open();
    // A run may take long, and whether another program can run does not depend on it.
    if (channel.computes) return await this.#local.unsupported(program, registry);
    const executable = this.#next++;
    const { rules, answer } = await rulesOf(program, registry);
    channel.executables.set(executable, { storages: new Map(), onProgress: undefined, answer });
    try {
      return await channel.call("unsupported", { executable, program, rules });
    } finally {
      channel.executables.delete(executable);
    }
  }

  async compile(request: CompileRequest): Promise<Executable> {
    const needed = needsUsers(request.program, request.registry);
    if (needed !== null) return onCallingThread(await this.#local.compile(request), needed);
    const channel = this.#open();
    const executable = this.#next++;
    const { program, weights, precision, onProgress } = request;
    const failed = new AbortController();
    // A listener that throws ends the load, as an abort does: nothing else waits for what it throws.
    const report: RemoteExecutable["onProgress"] = (progress) => {
      try {
        onProgress?.(progress);
      } catch (error) {
        failed.abort(error);
      }
    };
    const signal = request.signal === undefined ? failed.signal : AbortSignal.any([request.signal, failed.signal]);
    signal.throwIfAborted();
    const storages = new Map<string, Storage>();
    for (const { storage } of weights.values()) storages.set(storage.id, storage);
    const { rules, answer } = await rulesOf(program, request.registry);
    channel.executables.set(executable, { storages, onProgress: report, signal, answer });
    const cancel = sharedFlag();
    const done = raiseOnAbort(cancel, signal);
    try {
      const origins = await originsOf(storages, channel.reads);
      const wire = [...weights.values()].map(({ storage: { id, entry, nbytes, far }, ...weight }) => ({
        ...weight,
        storage: { id, entry, nbytes, isFar: far !== undefined },
      }));
      signal.throwIfAborted();
      const args = { executable, program, rules, weights: wire, origins, precision, cancel };
      // A worker that starts, or computes for another model, hears of an abort later.
      await unlessAborted(channel.call("compile", args), signal);
      signal.throwIfAborted();
      if (this.#disposed !== undefined) throw backendDisposed();
      channel.executables.set(executable, { storages, onProgress: undefined, answer });
      const onDispose = async (): Promise<void> => {
        this.#executables.delete(made);
        await request.onDispose?.();
      };
      const made = new WorkerExecutable(channel, executable, cancel, onDispose);
      this.#executables.add(made);
      return made;
    } catch (error) {
      channel.executables.delete(executable);
      // The worker may have made it before it saw that the load had ended.
      channel.call("dispose", { executable }).catch(() => {});
      signal.throwIfAborted();
      throw error;
    } finally {
      // The flag of a load that was aborted stays raised: the worker may see it later.
      if (!signal.aborted) done();
    }
  }

  manualSeed(seed: Seed): void {
    requireSeed(seed);
    this.#seed = seed;
    this.#local.manualSeed(seed);
    this.#seedWorker();
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.#dispose();
    return this.#disposed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  /** Runs under way come to their end, and then the worker does: what it holds is freed with it. */
  async #dispose(): Promise<void> {
    const local = this.#local.dispose();
    const executables = [...this.#executables];
    await Promise.all(executables.map((executable) => executable.finish()));
    await this.#channel?.terminate(backendDisposed());
    await Promise.all([local, ...executables.map((executable) => executable.dispose())]);
  }

  #open(): WorkerChannel {
    if (this.#disposed !== undefined) throw backendDisposed();
    if (this.#channel === null || this.#channel.failed) {
      this.#channel = WorkerChannel.open(this.#start, this.#threads);
      this.#seedWorker();
    }
    return this.#channel;
  }

  #seedWorker(): void {
    if (this.#seed === null) return;
    // The worker handles messages in order. One that has failed draws nothing, and the next one is seeded as it starts.
    this.#channel?.call("manualSeed", { seed: this.#seed }).catch(() => {});
  }
}

/**
 * Returns an op for which a program needs functions of users on data; null where their rules, which the worker can have
 * evaluated, and WebAssembly modules, which cross to it, are enough.
 */
function needsUsers({ graph }: Program, registry: OpRegistry): string | null {
  if (registry.checks === null) return null;
  const kernels = registry.kernelsFor("wasm") as readonly WasmKernel[];
  const hasKernel = (op: string, isModule: boolean): boolean =>
    kernels.some((kernel) => "module" in kernel === isModule && kernel.ops.includes(op));
  const isFunction = (op: string): boolean => registry.handlerOf(op) !== undefined || hasKernel(op, false);
  const used = stats(graph).map(({ op }) => op);
  const own = used.filter((op) => registry.userSetOf(op) !== undefined);
  // PyTorch's decompositions end in PyTorch's ops, and in no others that users bring; those of users may end in any op.
  const isReached = (op: string): boolean => own.length > 0 || /^(aten|prims)::/.test(op);
  const functions = kernels.flatMap((kernel) => ("module" in kernel ? [] : kernel.ops));
  // What decompositions of the program call is loaded.
  const loaded = functions.filter((op) => registry.resolve(op) !== undefined);
  const reached = [...registry.handledOps, ...loaded].find(isReached);
  // A name with wildcards may match ops that are not loaded yet.
  const pattern = registry.patterns?.find((name) => own.length > 0 || /^(aten|prims|[^:]*\*[^:]*)::/.test(name));
  // Only decompositions of dynamic ops call ops that their records compute.
  const isDynamic = own.some((op) => registry.resolve(op)?.dynamic !== undefined);
  const computed = isDynamic
    ? [...registry.userOps()].find(([op]) => registry.resolve(op)?.compute !== undefined && !hasKernel(op, true))
    : undefined;
  return (
    used.find((op) => isFunction(op) || (isBare(op, registry) && !hasKernel(op, true))) ??
    reached ??
    pattern ??
    computed?.[0] ??
    null
  );
}

/** Whether an op of a user's has no rule to run it by: the calling thread then reports what is missing. */
function isBare(op: string, registry: OpRegistry): boolean {
  const { scalar, view, decompose } = registry.resolve(op) ?? {};
  return registry.userSetOf(op) !== undefined && (scalar ?? view ?? decompose) === undefined;
}

/** Returns the worker's data about users' ops, and the function that answers its questions. */
async function rulesOf(
  program: Program,
  registry: OpRegistry,
): Promise<{ readonly rules: WireRules | null; readonly answer?: RemoteExecutable["answer"] }> {
  const hasKernels = registry.kernelsFor("wasm").length > 0;
  const [userOp] = registry.userOps();
  if (!hasKernels && userOp === undefined) return { rules: null };
  return await (await import("./rule-answers.ts")).ruleBook(program, registry);
}

/** Returns the executable with the reason why it is not in the worker. */
function onCallingThread(executable: Executable, op: string): Executable {
  const explain = executable.explain.bind(executable);
  const why = `on the calling thread, as handlers and kernels of users cannot cross to the worker: ${op}`;
  return Object.assign(executable, {
    onCallingThread: `A function of yours computes ${op}, and functions cannot cross to the worker: the program runs on the calling thread.`,
    explain: async () => (await explain()).replace(/$/m, `; ${why}`),
  });
}

async function originsOf(
  storages: ReadonlyMap<string, Storage>,
  kind: SourceOrigin["kind"],
): Promise<ReadonlyMap<string, SourceOrigin>> {
  const origins = new Map<string, SourceOrigin>();
  for (const [id, storage] of storages) {
    const origin = await storage.locate?.();
    if (origin?.kind === kind) origins.set(id, origin);
  }
  return origins;
}
