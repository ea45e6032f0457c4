/** Milliseconds that a thread looks at most before it sleeps: a few times what it costs to go to sleep and be woken. */
export const LOOK_MS = 0.1;

/** Milliseconds of looking after which a thread has to sleep once, so that timers and messages get their turn. */
export const TURN_MS = 5;

/** Looks in vain, one after the other, up to which the rests after them get longer. */
const MOST_VAIN = 6;

/**
 * A thread's looks for what another one will write soon. After one in vain it does not look the next time, after
 * further ones not the next 2, 4 … 64 times: nothing comes soon, or the other thread is waiting for this one's processor.
 */
export class Looks {
  #vain = 0;
  #rest = 0;

  /** Whether it is worth a look now. */
  isDue(): boolean {
    if (this.#rest === 0) return true;
    this.#rest--;
    return false;
  }

  /** Looks until something has come, for `LOOK_MS` at most; returns the milliseconds that it took. */
  until(come: () => boolean): number {
    const start = performance.now();
    for (;;) {
      const isThere = come();
      const looked = performance.now() - start;
      if (isThere) this.#vain = 0;
      else if (looked > LOOK_MS) this.#rest = 2 ** Math.min(this.#vain++, MOST_VAIN);
      else continue;
      return looked;
    }
  }
}
