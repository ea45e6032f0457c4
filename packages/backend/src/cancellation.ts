/** The part of an `AbortSignal` that a run looks at, between steps. */
export interface Cancellation {
  throwIfAborted(): void;
}
