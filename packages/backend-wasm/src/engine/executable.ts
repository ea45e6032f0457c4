import { type Cancellation, type Executable, HostTensor, type MemoryReport, type Value } from "@pt2/backend";
import type { ProgramState } from "@pt2/engine";
import {
  fromRunValue,
  GraphRunner,
  programResults,
  programWeights,
  QueuedExecutable,
  type RunHooks,
  readHandlerInitials,
  staticInputs,
  toRunValues,
} from "@pt2/engine";
import { expectStorages } from "@pt2/format";
import type { Program } from "@pt2/graph";
import { modelDisposed } from "../wasm-errors.ts";
import { createEngine } from "./create-engine.ts";
import type { EngineRequest } from "./engine-request.ts";
import { readView } from "./host-copy.ts";
import { storeAll } from "./store-all.ts";
import type { TensorView } from "./tensor-view.ts";
import type { WasmEngine, WasmPlan } from "./wasm-engine.ts";

/** A program on this thread. */
export class WasmExecutable extends QueuedExecutable<Model> implements Executable {
  readonly #onDispose: () => Promise<void>;
  readonly #stored: ReadonlySet<number>;

  private constructor(model: Model, onDispose: () => Promise<void>) {
    super(model, modelDisposed);
    this.#onDispose = onDispose;
    const { outputs } = model.program;
    this.#stored = new Set(outputs.flatMap(({ kind }, i) => (/^(buffer|parameter)_mutation$/.test(kind) ? [i] : [])));
  }

  /** Plans the program for its exported shapes when they are static, and reads the weights. */
  static async create(request: EngineRequest): Promise<WasmExecutable> {
    const { program, weights, signal } = request;
    const storages = programWeights(program, weights).map(({ weight }) => weight.storage);
    const enough = expectStorages(storages, signal);
    try {
      return await WasmExecutable.#create(request);
    } finally {
      enough();
    }
  }

  static async #create(request: EngineRequest): Promise<WasmExecutable> {
    const { engine, weights } = createEngine(
      request,
      await readHandlerInitials(request.program, request.weights, request.registry),
    );
    const { program, onDispose = async () => {} } = request;
    const runner = new GraphRunner(program.graph, engine);
    const inputs = staticInputs(program);
    const { loader } = engine.device;
    if (inputs === null) {
      await weights.initialize();
      await loader.readAll(weights.records);
    } else {
      await runner.prepare(inputs, weights.bound, async () => {
        await weights.initialize();
        await loader.readAhead(weights.records);
      });
    }
    (request.cancellation ?? request.signal)?.throwIfAborted();
    return new WasmExecutable({ program, engine, weights, runner }, onDispose);
  }

  warmup(inputs: readonly Value[], { signal }: { readonly signal?: Cancellation | undefined } = {}): Promise<void> {
    return this.queue.run(async () => {
      const { program, runner, weights } = this.model;
      await runner.prepare(toRunValues(program, inputs, { name: "wasm" }), weights.bound);
    }, signal);
  }

  readState(targets: readonly string[]): Promise<ReadonlyMap<string, HostTensor>> {
    return this.queue.run(async () => {
      const { engine, weights } = this.model;
      return new Map(
        targets.flatMap((target) => {
          const view = weights.mutable.get(target);
          if (view === undefined) return [];
          return [[target, new HostTensor(view.dtype, view.shape, readView(engine.device.heap, view))] as const];
        }),
      );
    });
  }

  async memory(): Promise<MemoryReport> {
    const { heap, memory } = this.model.engine.device;
    const activations = memory.bytes;
    return { weights: heap.used - activations, activations, reserved: heap.reserved };
  }

  async explain(): Promise<string> {
    return this.model.runner.explain();
  }

  protected override async release(): Promise<void> {
    await this.#onDispose();
  }

  protected override async forward(inputs: readonly Value[], hooks: RunHooks): Promise<readonly Value[]> {
    const { program, runner, engine, weights } = this.model;
    const given = toRunValues(program, inputs, { name: "wasm" });
    const results = await runner.run(given, weights.bound, { ...hooks, stored: this.#stored });
    const { outputs, writes } = programResults(program, results, weights.mutable);
    // Buffers are written when every result is there, because a run that fails changes no buffer.
    storeAll(engine.device.heap, writes, weights.mutable);
    return outputs.map((output) => fromRunValue(output));
  }
}

/** What a program runs with. */
interface Model {
  readonly program: Program;
  readonly engine: WasmEngine;
  readonly weights: ProgramState<number>;
  readonly runner: GraphRunner<TensorView, WasmPlan>;
}
