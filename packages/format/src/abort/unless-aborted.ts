import { onAbort } from "./on-abort.ts";

/** Waits for work until the signal aborts, then fails with its reason; the work goes on. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  let leave = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else leave = onAbort(signal, () => reject(signal.reason));
  });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    leave();
  }
}
