/** The part of an `AbortSignal` that a run checks between steps. */
export interface Cancellation {
  throwIfAborted(): void;
}
