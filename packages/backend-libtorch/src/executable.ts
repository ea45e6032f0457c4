import type { Executable, MemoryReport, Profile, RunOptions, TraceObserver, Value } from "@pt2/backend";
import { HostTensor, RunQueue } from "@pt2/backend";
import type { Pt2Error } from "@pt2/format";
import { isReturned } from "@pt2/graph";
import { commitWrites } from "./commit-writes.ts";
import type { CompiledProgram } from "./compile-program.ts";
import { DirectRuns } from "./direct-runs.ts";
import { explain } from "./explain.ts";
import { libtorchError } from "./libtorch-errors.ts";
import { copyToHost, type Outputs } from "./native-tensor.ts";
import { CapturedRuns } from "./plan/captured-runs.ts";
import type { Done, NodeObserver, PlanHooks } from "./plan/compiled-plan.ts";
import { hasSizesFromElements } from "./plan/sizes-from-elements.ts";
import { ProfileRecorder } from "./profile.ts";
import { InputReader, toValues, toValuesSync } from "./run-values.ts";
import { SmallRuns } from "./small-runs.ts";
import { traceEvent } from "./trace-event.ts";
import type { TurnBudget } from "./turn-budget.ts";

/** What an executable needs. */
export interface ExecutableOptions {
  readonly device: string;
  readonly outputs: Outputs;
  /** Whether runs are recorded and replayed. */
  readonly capture: boolean;
  /** The most milliseconds of a run that is computed at once on the calling thread. */
  readonly atOnceMs: number;
  /** Whether ops of such a run take no other threads: then its bits may depend on where it is computed. */
  readonly alone: boolean;
  /** What all such runs of the backend share. */
  readonly budget: TurnBudget;
  onDispose(): Promise<void>;
}

/** A program on libtorch. Its runs overlap, but those of a program that writes to its buffers run one after another. */
export class LibtorchExecutable implements Executable {
  readonly #compiled: CompiledProgram;
  readonly #options: ExecutableOptions;
  readonly #inputs: InputReader;
  /** The recordings; null where runs are not recorded. */
  readonly #captures: CapturedRuns | null;
  /** Runs from bytes to bytes; null for a program whose results are not only those of a run. */
  readonly #direct: DirectRuns | null;
  readonly #small: SmallRuns;
  readonly #underWay = new Set<Promise<unknown>>();
  /** The queue of runs that write to buffers. */
  readonly #queue = new RunQueue(disposed);
  readonly #learn = (ms: number): void => this.#small.learn(ms);
  #peakBytes = 0;
  #disposed: Promise<void> | undefined;

  constructor(compiled: CompiledProgram, options: ExecutableOptions) {
    this.#compiled = compiled;
    this.#options = options;
    this.#inputs = new InputReader(compiled.program, options.device);
    const isPure = !compiled.writes && compiled.program.outputs.every(isReturned);
    this.#captures = options.capture && !compiled.writes ? recordingOf(compiled) : null;
    // Both make ready what is repeated, and only one of them can run it.
    this.#direct = isPure && this.#captures === null ? new DirectRuns(compiled.plan) : null;
    this.#small = new SmallRuns(options.atOnceMs, options.budget);
  }

  run(inputs: readonly Value[], { signal }: RunOptions = {}): Promise<readonly Value[]> {
    const direct = this.#direct?.fits(inputs) ? this.#direct : null;
    const place = direct?.isLight ? this.#small.place : "pool";
    if (place === "now") return this.#atOnce(inputs, signal);
    if (place === "next turn") return this.#begin(signal, () => this.#atNextTurn(inputs.map(copied), signal));
    // Only a run of its own can be canceled.
    if (signal === undefined && direct !== null) {
      if (this.#disposed !== undefined) return Promise.reject(disposed());
      return direct.post(inputs, this.#learn);
    }
    return this.#begin(signal, async () => (await this.#forward(inputs, { signal })).outputs);
  }

  /**
   * Runs on the calling thread, which it blocks. It refuses asynchronous handlers, and to run while other runs of a
   * program that writes to its buffers are under way.
   */
  runSync(inputs: readonly Value[]): readonly Value[] {
    this.#requireAlive();
    if (this.#direct?.fits(inputs) && this.#direct.isLight) {
      return this.#direct.run(inputs, this.#options.alone && this.#small.isSmall);
    }
    const { plan, writes } = this.#compiled;
    if (writes && this.#underWay.size > 0) throw busy();
    const done = plan.runSync(this.#inputs.read(inputs));
    const outputs = toValuesSync(this.#returned(done), this.#options.outputs);
    commitWrites(this.#compiled, done);
    this.#small.learn(done.ns / 1e6);
    this.#direct?.learn(inputs, outputs);
    return outputs;
  }

  readState(targets: readonly string[]): Promise<ReadonlyMap<string, HostTensor>> {
    return this.#begin(undefined, async () => {
      const found = targets.flatMap((target) => {
        const tensor = this.#compiled.state.get(target);
        return tensor === undefined ? [] : [[target, tensor] as const];
      });
      return new Map(
        await Promise.all(
          found.map(async ([target, tensor]) => {
            return [target, await copyToHost(tensor)] as const;
          }),
        ),
      );
    });
  }

  trace(inputs: readonly Value[], observe: TraceObserver, { signal }: RunOptions = {}): Promise<readonly Value[]> {
    const trace: NodeObserver = async (node, outputs) => await observe(await traceEvent(node, outputs));
    return this.#begin(signal, async () => (await this.#forward(inputs, { signal, trace })).outputs);
  }

  profile(inputs: readonly Value[], { signal }: RunOptions = {}): Promise<Profile> {
    return this.#begin(signal, async () => {
      const recorder = new ProfileRecorder();
      const { outputs, done } = await this.#forward(inputs, { signal, profile: true, observe: recorder.observe });
      this.#peakBytes = Math.max(this.#peakBytes, done.profile?.peakBytes ?? 0);
      return recorder.finish(outputs, done.profile, this.#compiled.plan.nodeAt);
    });
  }

  /**
   * Reports memory. Weights are what a run reads: mapped, copied or computed at load. Activations are the most that a
   * profile measured.
   */
  async memory(): Promise<MemoryReport> {
    this.#requireAlive();
    const weights = this.#compiled.plan.boundBytes();
    return { weights, activations: this.#peakBytes, reserved: weights + this.#peakBytes };
  }

  async explain(): Promise<string> {
    this.#requireAlive();
    return explain(this.#compiled, this.#captures === null ? [] : [this.#captures.describe()]);
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.#release();
    return this.#disposed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  async #release(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    const { plan, hosts, state } = this.#compiled;
    this.#captures?.dispose();
    await this.#direct?.dispose();
    plan.dispose();
    hosts.dispose();
    for (const tensor of state.values()) tensor.dispose();
    state.clear();
    await this.#options.onDispose();
  }

  /** Computes at once. The calling thread does nothing else meanwhile, so there is nothing that an abort could stop. */
  async #atOnce(inputs: readonly Value[], signal: AbortSignal | undefined): Promise<readonly Value[]> {
    this.#requireAlive();
    signal?.throwIfAborted();
    return this.#small.measure(() => this.#direct!.run(inputs, this.#options.alone));
  }

  async #atNextTurn(inputs: readonly Value[], signal: AbortSignal | undefined): Promise<readonly Value[]> {
    await this.#options.budget.nextTurn();
    signal?.throwIfAborted();
    if (!this.#direct?.fits(inputs)) return (await this.#forward(inputs, { signal })).outputs;
    return this.#small.measure(() => this.#direct!.run(inputs, this.#options.alone));
  }

  #begin<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    if (this.#disposed !== undefined) return Promise.reject(disposed());
    const turn = async (): Promise<T> => {
      signal?.throwIfAborted();
      return await work();
    };
    const result = this.#compiled.writes ? this.#queue.run(turn, signal) : turn();
    const settled = result.then(
      () => {},
      () => {},
    );
    this.#underWay.add(settled);
    void settled.then(() => this.#underWay.delete(settled));
    return result;
  }

  async #forward(
    inputs: readonly Value[],
    hooks: PlanHooks,
  ): Promise<{ readonly outputs: readonly Value[]; readonly done: Done }> {
    const given = this.#inputs.read(inputs);
    const watched = hooks.profile === true || hooks.trace !== undefined;
    const recorded = watched ? null : await this.#captures?.run(given);
    hooks.signal?.throwIfAborted();
    const done: Done = recorded
      ? { kind: "done", outputs: recorded, written: [], profile: null, ns: Number.POSITIVE_INFINITY }
      : await this.#compiled.plan.run(given, hooks);
    const outputs = await toValues(this.#returned(done), this.#options.outputs);
    // The writes are committed once every result is there: a run that fails changes nothing.
    commitWrites(this.#compiled, done);
    if (!watched) {
      this.#small.learn(done.ns / 1e6);
      this.#direct?.learn(inputs, outputs);
    }
    return { outputs, done };
  }

  #returned({ outputs }: Done): Done["outputs"] {
    const specs = this.#compiled.program.outputs;
    return outputs.filter((_, i) => isReturned(specs[i]!));
  }

  #requireAlive(): void {
    if (this.#disposed !== undefined) throw disposed();
  }
}

function recordingOf({ plan, program }: CompiledProgram): CapturedRuns {
  return new CapturedRuns(plan, hasSizesFromElements(program) ? "Sizes depend on elements." : null);
}

/** A copy of an input, which its owner may change after the call. */
function copied(value: Value): Value {
  return value instanceof HostTensor ? new HostTensor(value.dtype, value.shape, value.bytes.slice()) : value;
}

function disposed(): Pt2Error {
  return libtorchError("libtorch.disposed", {
    what: "The model was disposed",
    advice: "Load it again, or dispose it later.",
  });
}

function busy(): Pt2Error {
  return libtorchError("libtorch.busy", {
    what: "The program writes its buffers, and a run on the calling thread would overtake those that are under way",
    advice: "Await them first, or use run().",
  });
}
