import type { Pt2Error } from "@pt2/format";
import { onAbort } from "@pt2/format";
import type { Cancellation } from "./cancellation.ts";

/**
 * Serializes the runs of an executable: each one ends before the next starts. So runs are independent, and the order of
 * writes to buffers is defined. A waiting run can be aborted.
 *
 * The queue references only the callbacks that start waiting runs: no results, and no runs that have ended or were
 * aborted.
 */
export class RunQueue {
  readonly #disposed: () => Pt2Error;
  /** The callbacks that start waiting runs, by ticket. */
  readonly #waiting = new Map<number, () => void>();
  /** The number of tickets that were issued, and the number of those that were called. */
  #issued = 0;
  #called = 0;
  #busy = false;
  #closed = false;

  /** `disposed` makes the error of runs that are started after `close`. */
  constructor(disposed: () => Pt2Error) {
    this.#disposed = disposed;
  }

  async run<T>(work: () => Promise<T>, signal?: Cancellation): Promise<T> {
    if (this.#closed) throw this.#disposed();
    await this.#acquire(signal instanceof AbortSignal ? signal : undefined);
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      this.#release();
    }
  }

  /** Accepts no more runs, and waits for those already accepted. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#acquire(undefined);
    this.#release();
  }

  /** Waits until no other run is active; `#release` must follow. Rejects if the signal aborts first. */
  async #acquire(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (!this.#busy) {
      this.#busy = true;
      return;
    }
    const ticket = this.#issued++;
    let removeListener = (): void => {};
    try {
      await new Promise<void>((start, reject) => {
        this.#waiting.set(ticket, start);
        removeListener = onAbort(signal, () => {
          this.#waiting.delete(ticket);
          reject(signal?.reason);
        });
      });
    } finally {
      removeListener();
    }
  }

  #release(): void {
    while (this.#called < this.#issued) {
      const ticket = this.#called++;
      const start = this.#waiting.get(ticket);
      if (start === undefined) continue;
      this.#waiting.delete(ticket);
      start();
      return;
    }
    this.#busy = false;
  }
}
