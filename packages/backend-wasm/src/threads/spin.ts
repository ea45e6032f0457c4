/**
 * How often a thread looks before it sleeps: about 50 microseconds, as long as waking it takes, so that it seldom sleeps
 * between the steps of a run and takes no processor between runs.
 */
const LOOKS = 8000;

/** Waits a little for something; returns whether it has come. */
export function spinUntil(come: () => boolean): boolean {
  for (let i = 0; i < LOOKS; i++) if (come()) return true;
  return false;
}
