/** Holds the callbacks of one signal, and the signal's only listener. */
interface Waiting {
  readonly stops: Set<() => void>;
  readonly listener: () => void;
}

const waiting = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls `stop` when the signal aborts, and returns a function that unsubscribes. A signal has one listener however many
 * callbacks it has (Node reports more than ten as a leak), and none when it has no callback.
 */
export function onAbort(signal: AbortSignal | undefined, stop: () => void): () => void {
  if (signal === undefined) return () => {};
  const { stops, listener } = waiting.get(signal) ?? listen(signal);
  // A new function each time, so that a callback that is passed twice is called twice.
  const own = (): void => stop();
  stops.add(own);
  return () => {
    if (!stops.delete(own) || stops.size > 0) return;
    waiting.delete(signal);
    signal.removeEventListener("abort", listener);
  };
}

function listen(signal: AbortSignal): Waiting {
  const stops = new Set<() => void>();
  const listener = (): void => {
    waiting.delete(signal);
    for (const stop of stops) stop();
  };
  signal.addEventListener("abort", listener, { once: true });
  const entry = { stops, listener };
  waiting.set(signal, entry);
  return entry;
}
