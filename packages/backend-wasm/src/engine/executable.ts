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
  writtenBuffers,
} from "@pt2/engine";
import { expectStorages } from "@pt2/format";
import type { Program } from "@pt2/graph";
import type { Team } from "../threads/team.ts";
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
  readonly #explainThreads: () => string;
  readonly #team: Team;

  private constructor(model: Model, { onDispose = async () => {}, explainThreads }: EngineRequest) {
    super(model, modelDisposed);
    this.#onDispose = onDispose;
    this.#explainThreads = explainThreads;
    this.#team = model.engine.device.team;
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
    const { program, registry } = request;
    const made = await createEngine(request, await readHandlerInitials(program, request.weights, registry));
    const { loader, team } = made.engine.device;
    const { weights } = made;
    const runner = new GraphRunner(program.graph, made.engine, { writes: writtenBuffers(program) });
    try {
      const inputs = staticInputs(program);
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
    } catch (error) {
      team.release();
      throw error;
    }
    return new WasmExecutable({ program, ...made, runner }, request);
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
    return this.model.runner.explain().replace(/$/m, `; ${this.#explainThreads()}`);
  }

  protected override async release(gone: Model | null): Promise<void> {
    this.#team.release();
    gone?.engine.device.heap.leave();
    await this.#onDispose();
  }

  protected override async forward(inputs: readonly Value[], hooks: RunHooks): Promise<readonly Value[]> {
    const { program, runner, engine, weights } = this.model;
    const given = toRunValues(program, inputs, { name: "wasm" });
    const results = await runner.run(given, weights.bound, hooks);
    const { outputs, writes } = programResults(program, results, weights.mutable);
    // Buffers are written when every result is there, because a run that fails changes no buffer.
    storeAll(engine.device.heap, writes, weights.mutable, (from, to) => engine.isUpdate(from, to));
    engine.commit();
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
