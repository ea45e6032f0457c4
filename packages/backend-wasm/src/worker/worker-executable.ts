import type { Executable, HostTensor, MemoryReport, Profile, RunOptions, Value } from "@pt2/backend";
import { RunQueue } from "@pt2/backend";
import { unlessAborted } from "@pt2/format";
import { modelDisposed } from "../wasm-errors.ts";
import { raiseOnAbort } from "./cancel-flag.ts";
import type { RunArgs } from "./protocol.ts";
import { fromWire, toWire, transfersOf } from "./wire-values.ts";
import type { WorkerChannel } from "./worker-channel.ts";

/** A program in a worker. */
export class WorkerExecutable implements Executable {
  readonly #channel: WorkerChannel;
  readonly #id: number;
  readonly #cancel: SharedArrayBuffer | null;
  readonly #queue = new RunQueue(modelDisposed);
  readonly #onDispose: () => Promise<void>;
  #disposed: Promise<void> | undefined;
  /** Whether the worker ends with its backend. */
  #ends = false;
  /** Ends the run under way, if it was aborted and the worker has not answered. */
  #giveUp: (() => void) | null = null;

  /** Takes the flag that ends runs in the worker, if threads share memory. */
  constructor(channel: WorkerChannel, id: number, cancel: SharedArrayBuffer | null, onDispose: () => Promise<void>) {
    this.#channel = channel;
    this.#id = id;
    this.#cancel = cancel;
    this.#onDispose = onDispose;
  }

  async run(inputs: readonly Value[], { signal }: RunOptions = {}): Promise<readonly Value[]> {
    const outputs = await this.#cancellable(inputs, signal, (args) => this.#channel.run(args));
    return outputs.map(fromWire);
  }

  async profile(inputs: readonly Value[], { signal }: RunOptions = {}): Promise<Profile> {
    const profile = await this.#cancellable(inputs, signal, (args) =>
      this.#channel.call("profile", args, transfersOf(args.inputs)),
    );
    return { ...profile, outputs: profile.outputs.map(fromWire) };
  }

  warmup(inputs: readonly Value[], { signal }: RunOptions = {}): Promise<void> {
    return this.#cancellable(inputs, signal, (args) => this.#channel.call("warmup", args, transfersOf(args.inputs)));
  }

  readState(targets: readonly string[]): Promise<ReadonlyMap<string, HostTensor>> {
    return this.#queue.run(async () => {
      const state = await this.#channel.call("readState", { executable: this.#id, targets });
      return new Map(state.map(([target, value]) => [target, fromWire(value) as HostTensor]));
    });
  }

  memory(): Promise<MemoryReport> {
    return this.#channel.call("memory", { executable: this.#id });
  }

  explain(): Promise<string> {
    return this.#channel.call("explain", { executable: this.#id });
  }

  async dispose(): Promise<void> {
    this.#disposed ??= this.#dispose();
    await this.#disposed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  /** Accepts no more runs, and waits for those under way, but for none that was aborted: the worker ends next. */
  async finish(): Promise<void> {
    this.#ends = true;
    this.#giveUp?.();
    await this.#queue.close();
  }

  /** Runs under way may still need weights, so the source of their reads is closed last. */
  async #dispose(): Promise<void> {
    await this.#queue.close();
    try {
      await this.#channel.call("dispose", { executable: this.#id });
    } catch (error) {
      // A stopped worker has released everything.
      if (!this.#channel.failed) throw error;
    } finally {
      this.#channel.executables.delete(this.#id);
      await this.#onDispose();
    }
  }

  /** Sends one run at a time, so that a run that still waits for its turn can be canceled in any page. */
  #cancellable<T>(
    inputs: readonly Value[],
    signal: AbortSignal | undefined,
    send: (args: RunArgs) => Promise<T>,
  ): Promise<T> {
    const wire = inputs.map(toWire);
    return this.#queue.run(async () => {
      const done = raiseOnAbort(this.#cancel, signal);
      try {
        return await this.#answered(send({ executable: this.#id, inputs: wire }), signal);
      } catch (error) {
        // The worker reports that it was stopped; the signal has the reason.
        if (error instanceof DOMException && error.name === "AbortError") signal?.throwIfAborted();
        throw error;
      } finally {
        done();
      }
    }, signal);
  }

  /** Waits for the worker, which may not hear of an abort while it computes. */
  async #answered<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    try {
      return await unlessAborted(answer, signal);
    } catch (error) {
      if (!signal?.aborted || this.#ends) throw error;
      return await new Promise((resolve, reject) => {
        this.#giveUp = () => reject(signal.reason);
        answer.then(resolve, reject);
      });
    } finally {
      this.#giveUp = null;
    }
  }
}
