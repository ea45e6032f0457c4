/** How often a thread looks before it sleeps: 50 microseconds, about as long as waking it takes, and 10. */
const [MOST_LOOKS, LEAST_LOOKS] = [8000, 1600];
/** Half a millisecond: where a thread should stay awake. */
const AWAKE_LOOKS = 80_000;

/**
 * A little wait before a thread sleeps, so that it seldom does between the steps of a run, and takes no processor between
 * runs. A wait in vain makes the next one shorter: the thread that is waited for may be waiting for this one's processor.
 */
export class Spin {
  #looks = MOST_LOOKS;

  /** Waits for something, for longer while this thread `staysAwake`; returns whether it has come. */
  until(come: () => boolean, staysAwake: () => boolean = () => false): boolean {
    for (let i = 0; i < this.#looks || (i < AWAKE_LOOKS && staysAwake()); i++) {
      if (!come()) continue;
      this.#looks = MOST_LOOKS;
      return true;
    }
    this.#looks = Math.max(LEAST_LOOKS, this.#looks >> 1);
    return false;
  }
}
