import type { Backend, Capabilities, CompileRequest, Executable, Prefetch, Seed, UnsupportedOp } from "@pt2/backend";
import { BACKEND_API_VERSION, requireSeed } from "@pt2/backend";
import type { WeightTensor } from "@pt2/format";
import type { Program } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";
import type { WasmBackend } from "./backend.ts";
import { CAPABILITIES } from "./capabilities.ts";
import type { Threads } from "./threads/thread-count.ts";
import { backendDisposed, engineNotLoaded } from "./wasm-errors.ts";

/**
 * The backend on the calling thread. Its engine loads when it is first needed, so a page whose models compute in a
 * worker does not download it.
 */
export class LocalBackend implements Backend {
  readonly name = "wasm";
  readonly apiVersion: typeof BACKEND_API_VERSION = BACKEND_API_VERSION;
  readonly capabilities: Capabilities = CAPABILITIES;
  readonly #threads: Threads;
  #engine: Promise<WasmBackend> | null = null;
  #loaded: WasmBackend | null = null;
  #seed: Seed | null = null;
  #disposed = false;

  constructor(threads: Threads) {
    this.#threads = threads;
  }

  async unsupported(program: Program, registry: OpRegistry): Promise<readonly UnsupportedOp[]> {
    return await (await this.#load()).unsupported(program, registry);
  }

  async prefetch(weights: readonly WeightTensor[], signal?: AbortSignal): Promise<Prefetch | undefined> {
    return (await this.#load()).prefetch(weights, signal);
  }

  async compile(request: CompileRequest): Promise<Executable> {
    return await (await this.#load()).compile(request);
  }

  manualSeed(seed: Seed): void {
    requireSeed(seed);
    this.#seed = seed;
    this.#loaded?.manualSeed(seed);
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    // Who loads is told that the engine could not be loaded: there is nothing to free.
    const engine = await this.#engine?.catch(() => null);
    await engine?.dispose();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  async #load(): Promise<WasmBackend> {
    if (this.#disposed) throw backendDisposed();
    this.#engine ??= importEngine(this.#threads);
    try {
      const engine = await this.#engine;
      // Several loads may wait for the engine: only the first one seeds it.
      if (this.#loaded === null && this.#seed !== null) engine.manualSeed(this.#seed);
      this.#loaded = engine;
      return engine;
    } catch (error) {
      // A failed load is tried again.
      this.#engine = null;
      throw error;
    }
  }
}

async function importEngine(threads: Threads): Promise<WasmBackend> {
  let module: typeof import("./backend.ts");
  try {
    module = await import("./backend.ts");
  } catch (cause) {
    throw engineNotLoaded(cause);
  }
  return new module.WasmBackend(threads);
}
