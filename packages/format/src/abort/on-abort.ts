/** Those who wait for a signal, and its listener. */
interface Waiting {
  readonly stops: Set<() => void>;
  readonly listener: () => void;
}

const waiting = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls `stop` when the signal aborts; returns how to wait for that no longer. However many wait for one signal, it has one
 * listener (Node takes more than ten for a leak), and none when nobody waits.
 */
export function onAbort(signal: AbortSignal | undefined, stop: () => void): () => void {
  if (signal === undefined) return () => {};
  const { stops, listener } = waiting.get(signal) ?? listen(signal);
  // One that is given twice waits twice.
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
