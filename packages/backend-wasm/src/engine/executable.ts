import type { Executable, MemoryReport, Profile, StepTime, Value } from "@pt2/backend";
import { Pt2Error } from "@pt2/format";
import type { OutputSpec, Program } from "@pt2/graph";
import { type Call, describeNode } from "@pt2/registry";
import type { Cancellation } from "./cancellation.ts";
import { createState } from "./create-state.ts";
import { writePlace } from "./elements.ts";
import type { EngineRequest } from "./engine-request.ts";
import type { ExecutableState } from "./executable-state.ts";
import { GraphRunner, type RunHooks, type StepObserver } from "./graph-runner.ts";
import { readHandlerInitials } from "./handler-initials.ts";
import { fromRunValue, toRunValues } from "./host-values.ts";
import type { ProgramState } from "./program-state.ts";
import type { HostData } from "./run-value.ts";
import { staticInputs } from "./static-inputs.ts";

/**
 * A program on this thread. Runs are queued: each finishes before the next starts, which makes them independent and
 * gives mutated buffers an order.
 */
export class WasmExecutable implements Executable {
  readonly #program: Program;
  readonly #state: ExecutableState;
  readonly #weights: ProgramState;
  readonly #runner: GraphRunner;
  #queue: Promise<unknown> = Promise.resolve();
  #disposed = false;

  private constructor(program: Program, state: ExecutableState, weights: ProgramState) {
    this.#program = program;
    this.#state = state;
    this.#weights = weights;
    this.#runner = new GraphRunner(program.graph, state, 0);
  }

  /** Plans the program for its exported shapes when they are static, and reads the weights. */
  static async create(request: EngineRequest): Promise<WasmExecutable> {
    const { state, weights } = createState(
      request,
      await readHandlerInitials(request.program, request.weights, request.registry),
    );
    await weights.initialise();
    const executable = new WasmExecutable(request.program, state, weights);
    const inputs = staticInputs(request.program);
    const { constants } = state;
    if (inputs === null) await constants.readAll(weights.records);
    else {
      constants.readAhead(weights.records);
      await executable.#runner.prepare(inputs, weights.bound);
    }
    (request.cancellation ?? request.signal)?.throwIfAborted();
    return executable;
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

  memory(): Promise<MemoryReport> {
    const { services, arena } = this.#state;
    const activations = arena.bytes;
    return Promise.resolve({
      weights: services.heap.used - activations,
      activations,
      reserved: services.heap.reserved,
    });
  }

  explain(): Promise<string> {
    return Promise.resolve(this.#runner.explain());
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    await this.#queue.catch(() => {});
  }

  #enqueue<T>(work: () => Promise<T>, signal: Cancellation | undefined): Promise<T> {
    if (this.#disposed) {
      return Promise.reject(
        new Pt2Error("wasm.disposed", {
          what: "The model was disposed",
          advice: "Load it again, or dispose it later.",
        }),
      );
    }
    const result = this.#queue.then(() => {
      signal?.throwIfAborted();
      return work();
    });
    this.#queue = result.catch(() => {});
    return result;
  }

  async #forward(inputs: readonly Value[], hooks: RunHooks): Promise<readonly Value[]> {
    const results = await this.#runner.run(toRunValues(this.#program, inputs), this.#weights.bound, hooks);
    const outputs: Value[] = [];
    const writes: { readonly target: string; readonly data: HostData }[] = [];
    for (const [i, spec] of this.#program.outputs.entries()) {
      if (isWrite(spec)) writes.push({ target: spec.target, data: this.#weights.checkWrite(spec.target, results[i]!) });
      else if (spec.kind === "user_output" || spec.kind === "loss_output") outputs.push(fromRunValue(results[i]!));
    }
    // Only now that every result is there: a run that fails changes no buffer.
    for (const { target, data } of writes) {
      writePlace(this.#state.services.heap, this.#weights.mutable.get(target)!, data.bytes);
    }
    return outputs;
  }
}

function isWrite(spec: OutputSpec): spec is OutputSpec & { readonly target: string } {
  return spec.kind === "buffer_mutation" || spec.kind === "parameter_mutation";
}

function stepTime(calls: readonly Call[], startMs: number, ms: number): StepTime {
  const { node } = calls.at(-1)!;
  return { node: node.name, ops: calls.map(({ record }) => record.name), where: describeNode(node), startMs, ms };
}
