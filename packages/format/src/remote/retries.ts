import { onAbort } from "../abort/on-abort.ts";
import { isTransient } from "./remote-errors.ts";
import type { UrlOptions } from "./remote-options.ts";

const RETRIES = 3;
const RETRY_DELAY_MS = 250;

/** Counts failures of one task, and decides on retries. */
export class Retries {
  readonly #most: number;
  readonly #delay: number;
  #failures = 0;

  constructor({ retries = RETRIES, retryDelay = RETRY_DELAY_MS }: UrlOptions) {
    this.#most = retries;
    this.#delay = retryDelay;
  }

  /** Waits if a retry may help, else rethrows the error. */
  async again(problem: unknown, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (!isTransient(problem) || this.#failures >= this.#most) throw problem;
    await pause(this.#delay * 2 ** this.#failures++, signal);
  }

  forgive(): void {
    this.#failures = 0;
  }
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      leave();
      resolve();
    }, milliseconds);
    const leave = onAbort(signal, () => {
      clearTimeout(timer);
      reject(signal!.reason);
    });
  });
}
