import {
  BACKEND_API_VERSION,
  type Backend,
  type Capabilities,
  type Prefetch,
  type Seed,
  type UnsupportedOp,
} from "@pt2/backend";
import { compileChecked, findUnsupported, RandomState } from "@pt2/engine";
import type { DType, WeightTensor } from "@pt2/format";
import type { Program } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";
import { CAPABILITIES } from "./capabilities.ts";
import type { LocalRequest } from "./engine/engine-request.ts";
import { WasmExecutable } from "./engine/executable.ts";
import { abilitiesOf } from "./engine/wasm-target.ts";
import { WeightRecords } from "./engine/weight-records.ts";
import { Pool } from "./threads/pool.ts";
import { ONE_THREAD, type Threads } from "./threads/thread-count.ts";
import { backendDisposed } from "./wasm-errors.ts";

/** WebAssembly has no instructions for half precision. */
const WIDENED: ReadonlyMap<DType, "always"> = new Map([
  ["float16", "always"],
  ["bfloat16", "always"],
]);

/** The backend with its engine, in whichever thread it is created. Runs block that thread while they compute. */
export class WasmBackend implements Backend {
  readonly name = "wasm";
  readonly apiVersion: typeof BACKEND_API_VERSION = BACKEND_API_VERSION;
  readonly capabilities: Capabilities = CAPABILITIES;
  readonly #random = new RandomState();
  readonly #executables = new Set<WasmExecutable>();
  readonly #pool: Pool | null;
  readonly #threads: Threads;
  #disposed: Promise<void> | undefined;

  constructor(threads: Threads = ONE_THREAD) {
    this.#threads = threads;
    this.#pool = threads.count === 1 ? null : new Pool(threads);
  }

  unsupported(program: Program, registry: OpRegistry): Promise<readonly UnsupportedOp[]> {
    return findUnsupported(program, registry, abilitiesOf(registry, CAPABILITIES.dtypes));
  }

  prefetch(weights: readonly WeightTensor[], signal?: AbortSignal): Prefetch | undefined {
    return this.#disposed !== undefined ? undefined : WeightRecords.prefetch(weights, this.#pool !== null, signal);
  }

  async compile(request: LocalRequest): Promise<WasmExecutable> {
    if (this.#disposed !== undefined) throw backendDisposed();
    const onDispose = async (): Promise<void> => {
      this.#executables.delete(executable);
      await request.onDispose?.();
    };
    const create = (program: Program): Promise<WasmExecutable> =>
      WasmExecutable.create({
        ...request,
        program,
        random: this.#random,
        pool: this.#pool,
        explainThreads: () => this.#explainThreads(),
        onDispose,
      });
    const executable = await compileChecked(request, this, create, WIDENED);
    if (this.#disposed !== undefined) {
      await executable.dispose();
      throw backendDisposed();
    }
    this.#executables.add(executable);
    return executable;
  }

  manualSeed(seed: Seed): void {
    this.#random.manualSeed(seed);
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.#dispose();
    return this.#disposed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  async #dispose(): Promise<void> {
    try {
      await Promise.all([...this.#executables].map((executable) => executable.dispose()));
    } finally {
      this.#pool?.stop();
    }
  }

  /** Says how many threads compute, and why not more where one would expect more. */
  #explainThreads(): string {
    const why = this.#pool?.failure ?? this.#threads.why;
    if (why !== null) return `1 thread: ${why}`;
    return this.#threads.count === 1 ? "1 thread" : `${this.#threads.count} threads`;
  }
}
