import type { Cancellation } from "@pt2/backend";
import { onAbort } from "@pt2/format";

/** Allocates a flag that another thread can see raised, or null where threads may not share memory. */
export function sharedFlag(): SharedArrayBuffer | null {
  return typeof SharedArrayBuffer === "undefined" ? null : new SharedArrayBuffer(4);
}

/** Raises the flag when the signal aborts; returns a function that stops listening, and lowers it for what comes next. */
export function raiseOnAbort(flag: SharedArrayBuffer | null, signal: AbortSignal | undefined): () => void {
  if (flag === null || signal === undefined) return () => {};
  const cell = new Int32Array(flag);
  const done = onAbort(signal, () => void Atomics.store(cell, 0, 1));
  return () => {
    done();
    Atomics.store(cell, 0, 0);
  };
}

/** Returns the flag as the worker's engine reads it. */
export function cancellationOf(flag: SharedArrayBuffer | null): Cancellation | undefined {
  if (flag === null) return undefined;
  const cell = new Int32Array(flag);
  return {
    throwIfAborted() {
      if (Atomics.load(cell, 0) !== 0) throw new DOMException("This operation was aborted", "AbortError");
    },
  };
}
