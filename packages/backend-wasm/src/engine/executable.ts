import type { Executable, MemoryReport, Profile, StepTime, Value } from "@pt2/backend";
import {
  type Cancellation,
  fromRunValue,
  GraphRunner,
  type HostData,
  programResults,
  type RunHooks,
  readHandlerInitials,
  type StepObserver,
  staticInputs,
  toRunValues,
} from "@pt2/backend/staged";
import type { Pt2Error } from "@pt2/format";
import type { Program } from "@pt2/graph";
import { type Call, describeNode } from "@pt2/registry";
import { wasmError } from "../wasm-errors.ts";
import { createEngine } from "./create-engine.ts";
import { writePlace } from "./elements.ts";
import type { EngineRequest } from "./engine-request.ts";
import type { Place } from "./place.ts";
import type { WasmPlan } from "./plan.ts";
import type { ProgramState } from "./program-state.ts";
import type { WasmEngine } from "./wasm-engine.ts";

/**
 * A program on this thread. Runs are queued: each finishes before the next starts, which makes them independent and
 * gives mutated buffers an order.
 */
export class WasmExecutable implements Executable {
  /** Null once disposed, so that the memory goes although somebody still holds the executable. */
  #model: Model | null;
  readonly #onDispose: () => void;
  #queue: Promise<unknown> = Promise.resolve();
  #disposed = false;

  private constructor(model: Model, onDispose: () => void) {
    this.#model = model;
    this.#onDispose = onDispose;
  }

  /** Plans the program for its exported shapes when they are static, and reads the weights. */
  static async create(request: EngineRequest): Promise<WasmExecutable> {
    const { engine, weights } = createEngine(
      request,
      await readHandlerInitials(request.program, request.weights, request.registry),
    );
    await weights.initialise();
    const { program, onDispose = () => {} } = request;
    const runner = new GraphRunner(program.graph, engine);
    const inputs = staticInputs(program);
    const { constants } = engine.state;
    if (inputs === null) await constants.readAll(weights.records);
    else {
      await constants.readAhead(weights.records);
      await runner.prepare(inputs, weights.bound);
    }
    (request.cancellation ?? request.signal)?.throwIfAborted();
    return new WasmExecutable({ program, engine, weights, runner }, onDispose);
  }

  run(
    inputs: readonly Value[],
    options: { readonly signal?: Cancellation | undefined } = {},
  ): Promise<readonly Value[]> {
    return this.#enqueue(() => this.#forward(inputs, { signal: options.signal }), options.signal);
  }

  async profile(
    inputs: readonly Value[],
    options: { readonly signal?: Cancellation | undefined } = {},
  ): Promise<Profile> {
    const steps: StepTime[] = [];
    return await this.#enqueue(async () => {
      const begin = performance.now();
      const observe: StepObserver = (calls, start, ms) => steps.push(stepTime(calls, start - begin, ms));
      const outputs = await this.#forward(inputs, { observe, signal: options.signal });
      return { outputs, steps, totalMs: performance.now() - begin };
    }, options.signal);
  }

  async memory(): Promise<MemoryReport> {
    const { services, arena } = this.#live().engine.state;
    const activations = arena.bytes;
    return { weights: services.heap.used - activations, activations, reserved: services.heap.reserved };
  }

  async explain(): Promise<string> {
    return this.#live().runner.explain();
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    await this.#queue.catch(() => {});
    this.#model = null;
    this.#onDispose();
  }

  #live(): Model {
    if (this.#model === null) throw disposed();
    return this.#model;
  }

  #enqueue<T>(work: () => Promise<T>, signal: Cancellation | undefined): Promise<T> {
    if (this.#disposed) return Promise.reject(disposed());
    const result = this.#queue.then(() => {
      signal?.throwIfAborted();
      return work();
    });
    this.#queue = result.catch(() => {});
    return result;
  }

  async #forward(inputs: readonly Value[], hooks: RunHooks): Promise<readonly Value[]> {
    const { program, runner, engine, weights } = this.#live();
    const results = await runner.run(toRunValues(program, inputs, { name: "wasm" }), weights.bound, hooks);
    const { outputs, writes } = programResults(program, results, weights.mutable);
    // Only now that every result is there: a run that fails changes no buffer.
    for (const { target, data } of writes) {
      writePlace(engine.state.services.heap, weights.mutable.get(target)!, (data as HostData).bytes);
    }
    return outputs.map((output) => fromRunValue(output));
  }
}

/** What a program runs with. */
interface Model {
  readonly program: Program;
  readonly engine: WasmEngine;
  readonly weights: ProgramState;
  readonly runner: GraphRunner<Place, WasmPlan>;
}

function disposed(): Pt2Error {
  return wasmError("wasm.disposed", {
    what: "The model was disposed",
    advice: "Load it again, or dispose it later.",
  });
}

function stepTime(calls: readonly Call[], startMs: number, ms: number): StepTime {
  const { node } = calls.at(-1)!;
  return { node: node.name, ops: calls.map(({ record }) => record.name), where: describeNode(node), startMs, ms };
}
