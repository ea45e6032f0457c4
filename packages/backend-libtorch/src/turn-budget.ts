/** The most milliseconds that runs compute at once before timers, sockets and signals have a turn. */
const MOST_MS = 4;

/**
 * How much longer runs may compute on the calling thread in this turn of its event loop. A loop that only awaits such
 * runs would leave no turn to anything else.
 */
export class TurnBudget {
  #leftMs = MOST_MS;

  get isSpent(): boolean {
    return this.#leftMs <= 0;
  }

  spend(ms: number): void {
    const wasSpent = this.isSpent;
    this.#leftMs -= ms;
    if (!wasSpent && this.isSpent) setImmediate(() => this.#renew());
  }

  #renew(): void {
    this.#leftMs = MOST_MS;
  }
}
