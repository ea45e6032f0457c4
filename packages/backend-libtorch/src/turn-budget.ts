/** The most milliseconds that runs compute at once before timers, sockets and signals have a turn. */
const MOST_MS = 4;

/**
 * How much longer runs may compute on the calling thread in this turn of its event loop. A loop that only awaits such
 * runs would leave no turn to anything else.
 */
export class TurnBudget {
  #leftMs = MOST_MS;
  #next: Promise<void> | null = null;

  get isSpent(): boolean {
    return this.#leftMs <= 0;
  }

  /** Whether a run waits for the next turn already. */
  get isAwaited(): boolean {
    return this.#next !== null;
  }

  spend(ms: number): void {
    const wasSpent = this.isSpent;
    this.#leftMs -= ms;
    if (!wasSpent && this.isSpent) setImmediate(() => this.#renew());
  }

  /** Resolves when others have had a turn. */
  nextTurn(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#next = null;
        resolve();
      });
    });
    return this.#next;
  }

  #renew(): void {
    this.#leftMs = MOST_MS;
  }
}
