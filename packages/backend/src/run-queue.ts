import type { Pt2Error } from "@pt2/format";
import type { Cancellation } from "./staged/cancellation.ts";
import { unlessAborted } from "./unless-aborted.ts";

/**
 * The runs of an executable: each is over before the next begins, which makes them independent and gives mutated buffers an
 * order. One that waits for its turn can be aborted.
 */
export class RunQueue {
  readonly #disposed: () => Pt2Error;
  /** Never rejects. */
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  /** `disposed` is what runs fail with that come too late. */
  constructor(disposed: () => Pt2Error) {
    this.#disposed = disposed;
  }

  run<T>(work: () => Promise<T>, signal?: Cancellation): Promise<T> {
    if (this.#closed) return Promise.reject(this.#disposed());
    const turn = this.#last;
    const begin = signal instanceof AbortSignal ? unlessAborted(turn, signal) : turn;
    const result = begin.then(() => {
      signal?.throwIfAborted();
      return work();
    });
    this.#last = Promise.allSettled([turn, result]);
    return result;
  }

  /** Takes no more runs, and waits for those that it has. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#last;
  }
}
