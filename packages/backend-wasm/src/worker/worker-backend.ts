import type { Backend, Capabilities, CompileRequest, Executable, UnsupportedOp } from "@pt2/backend";
import { BACKEND_API_VERSION } from "@pt2/backend/essentials";
import type { SourceOrigin, Storage } from "@pt2/format";
import type { Program } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";
import { CAPABILITIES } from "../capabilities.ts";
import { LocalBackend } from "../local-backend.ts";
import { backendDisposed } from "../wasm-errors.ts";
import { raiseOnAbort, sharedFlag } from "./cancel-flag.ts";
import { WorkerChannel, type WorkerHandle } from "./worker-channel.ts";
import { WorkerExecutable } from "./worker-executable.ts";

/**
 * The backend in a worker, started with the first program, so that the calling thread stays free. Programs whose
 * registry has functions of users (handlers, op packages) run on the calling thread: functions cannot cross threads.
 */
export class WorkerBackend implements Backend {
  readonly name = "wasm";
  readonly apiVersion: typeof BACKEND_API_VERSION = BACKEND_API_VERSION;
  readonly capabilities: Capabilities = { ...CAPABILITIES, offThread: true };
  readonly #local = new LocalBackend();
  readonly #start: () => WorkerHandle;
  /** For each executable what is to be told when it is gone. */
  readonly #releases = new Set<() => Promise<void>>();
  #channel: WorkerChannel | null = null;
  #next = 0;
  #disposed = false;

  constructor(start: () => WorkerHandle) {
    this.#start = start;
  }

  async unsupported(program: Program, registry: OpRegistry): Promise<readonly UnsupportedOp[]> {
    if (!isPlain(registry)) return await this.#local.unsupported(program, registry);
    const channel = this.#open();
    channel.kept = program;
    return await channel.call("unsupported", { program });
  }

  async compile(request: CompileRequest): Promise<Executable> {
    if (!isPlain(request.registry)) return await this.#local.compile(request);
    const channel = this.#open();
    const executable = this.#next++;
    const { program, weights, precision, onProgress, signal } = request;
    signal?.throwIfAborted();
    const storages = new Map<string, Storage>();
    for (const { storage } of weights.values()) storages.set(storage.id, storage);
    channel.executables.set(executable, { storages, onProgress, signal });
    const cancel = signal === undefined ? null : sharedFlag();
    const done = raiseOnAbort(cancel, signal);
    try {
      const origins = await originsOf(storages);
      const wire = [...weights.values()].map(({ storage: { id, record, nbytes, far }, ...weight }) => ({
        ...weight,
        storage: { id, record, nbytes, isFar: far !== undefined },
      }));
      const unsent = channel.kept === program ? null : program;
      channel.kept = null;
      await channel.call("compile", { executable, program: unsent, weights: wire, origins, precision, cancel });
      channel.executables.set(executable, { storages, onProgress });
      const onDispose = async (): Promise<void> => {
        this.#releases.delete(onDispose);
        await request.onDispose?.();
      };
      this.#releases.add(onDispose);
      return new WorkerExecutable(channel, executable, onDispose);
    } catch (error) {
      channel.executables.delete(executable);
      signal?.throwIfAborted();
      throw error;
    } finally {
      done();
    }
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    const terminated = this.#channel?.terminate(backendDisposed());
    this.#channel = null;
    await Promise.all([terminated, this.#local.dispose()]);
    await Promise.all([...this.#releases].map((release) => release()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  #open(): WorkerChannel {
    if (this.#disposed) throw backendDisposed();
    if (this.#channel === null || this.#channel.failed) this.#channel = WorkerChannel.open(this.#start);
    return this.#channel;
  }
}

/** Whether a registry holds nothing but PyTorch's own ops. */
function isPlain(registry: OpRegistry): boolean {
  return registry.list().every(({ source, handled }) => source === "aten" && !handled);
}

async function originsOf(storages: ReadonlyMap<string, Storage>): Promise<ReadonlyMap<string, SourceOrigin>> {
  const origins = new Map<string, SourceOrigin>();
  for (const [id, storage] of storages) {
    const origin = await storage.locate?.();
    if (origin) origins.set(id, origin);
  }
  return origins;
}
