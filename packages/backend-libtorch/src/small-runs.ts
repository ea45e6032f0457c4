import type { TurnBudget } from "./turn-budget.ts";

/** How many runs in a row decide where the next ones compute: a machine that is busy makes single ones slow. */
const DECIDING = 3;

/** Finds out whether the runs of a program take less than the way to the pool and back. */
export class SmallRuns {
  readonly #limitMs: number;
  readonly #budget: TurnBudget;
  #isSmall = false;
  /** The number of runs since the last one that was as they were expected. */
  #otherwise = 0;

  constructor(limitMs: number, budget: TurnBudget) {
    this.#limitMs = limitMs;
    this.#budget = budget;
  }

  get isSmall(): boolean {
    return this.#isSmall;
  }

  /** Where the next run of inputs that are ready should be computed. */
  get place(): "now" | "next turn" | "pool" {
    if (!this.#isSmall) return "pool";
    if (!this.#budget.isSpent) return "now";
    // One loop that awaits its runs waits for a turn; many runs at a time are for the threads of the pool.
    return this.#budget.isAwaited ? "pool" : "next turn";
  }

  /** Tells it how long a run computed. */
  learn(ms: number): void {
    if (ms <= this.#limitMs === this.#isSmall) this.#otherwise = 0;
    else if (++this.#otherwise === DECIDING) {
      this.#isSmall = !this.#isSmall;
      this.#otherwise = 0;
    }
  }

  /** Runs `work` at once, and learns how long it took. */
  measure<T>(work: () => T): T {
    const start = performance.now();
    const result = work();
    const ms = performance.now() - start;
    this.#budget.spend(ms);
    this.learn(ms);
    return result;
  }
}
