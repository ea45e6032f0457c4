import type { Profile, Value } from "@pt2/backend";
import { type Cancellation, RunQueue } from "@pt2/backend";
import type { Pt2Error } from "@pt2/format";
import { profiled } from "./profiled.ts";
import type { RunHooks } from "./stage-engine.ts";

/** The hooks of a run, with the kind of signal that the backend stops at. */
export interface SignaledHooks<Signal extends Cancellation> extends RunHooks {
  readonly signal?: Signal | undefined;
}

/** An executable whose runs wait for each other, until it is disposed. `Model` is what it runs with. */
export abstract class QueuedExecutable<Model, Signal extends Cancellation = Cancellation> {
  protected readonly queue: RunQueue;
  readonly #disposed: () => Pt2Error;
  /** Null once disposed, so that the memory is freed even if the executable is still referenced. */
  #model: Model | null;

  constructor(model: Model, disposed: () => Pt2Error) {
    this.#model = model;
    this.#disposed = disposed;
    this.queue = new RunQueue(disposed);
  }

  run(inputs: readonly Value[], { signal }: SignaledHooks<Signal> = {}): Promise<readonly Value[]> {
    return this.queue.run(() => this.forward(inputs, { signal }), signal);
  }

  profile(inputs: readonly Value[], { signal }: SignaledHooks<Signal> = {}): Promise<Profile> {
    return this.queue.run(() => profiled((observe) => this.forward(inputs, { observe, signal })), signal);
  }

  async dispose(): Promise<void> {
    await this.queue.close();
    const model = this.#model;
    this.#model = null;
    await this.release(model);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  /** Returns the model; fails once disposed. */
  protected get model(): Model {
    if (this.#model === null) throw this.#disposed();
    return this.#model;
  }

  protected replaceModel(model: Model): void {
    this.#model = model;
  }

  /** Runs the program once. */
  protected abstract forward(inputs: readonly Value[], hooks: SignaledHooks<Signal>): Promise<readonly Value[]>;

  /** Frees the memory of the model, which is null where it was disposed before. */
  protected abstract release(model: Model | null): Promise<void>;
}
