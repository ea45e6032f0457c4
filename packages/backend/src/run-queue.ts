import type { Pt2Error } from "@pt2/format";
import { onAbort } from "@pt2/format";
import type { Cancellation } from "./cancellation.ts";

/**
 * The runs of an executable: each is over before the next begins, which makes them independent and gives mutated buffers an
 * order. One that waits for its turn can be aborted.
 *
 * It holds what begins the runs that wait, and nothing else: neither results, nor runs that are over or were aborted.
 */
export class RunQueue {
  readonly #disposed: () => Pt2Error;
  /** What begins each run that waits, by its number. */
  readonly #waiting = new Map<number, () => void>();
  /** How many have waited, and how many of these were called. */
  #came = 0;
  #called = 0;
  #busy = false;
  #closed = false;

  /** `disposed` is what runs fail with that come too late. */
  constructor(disposed: () => Pt2Error) {
    this.#disposed = disposed;
  }

  async run<T>(work: () => Promise<T>, signal?: Cancellation): Promise<T> {
    if (this.#closed) throw this.#disposed();
    await this.#turn(signal instanceof AbortSignal ? signal : undefined);
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      this.#passOn();
    }
  }

  /** Takes no more runs, and waits for those that it has. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#turn(undefined);
    this.#passOn();
  }

  /** Settles when it is the caller's turn, which it then passes on; rejects when the signal aborts before. */
  async #turn(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (!this.#busy) {
      this.#busy = true;
      return;
    }
    const number = this.#came++;
    let leave = (): void => {};
    try {
      await new Promise<void>((begin, reject) => {
        this.#waiting.set(number, begin);
        leave = onAbort(signal, () => {
          this.#waiting.delete(number);
          reject(signal?.reason);
        });
      });
    } finally {
      leave();
    }
  }

  #passOn(): void {
    while (this.#called < this.#came) {
      const number = this.#called++;
      const begin = this.#waiting.get(number);
      if (begin === undefined) continue;
      this.#waiting.delete(number);
      begin();
      return;
    }
    this.#busy = false;
  }
}
