/** Whether helpers take part in a run. */
export type Mode = "helped" | "alone";

/** The first runs, whose code is still being optimized. */
const COLD = 10;
/** Milliseconds above which a run is helped always: threads have been moved long before its end. */
const LONG = 20;
/** Runs of each kind before one is preferred. */
const TRIED = 3;
/** Runs between two trials of the slower kind: at first, and at most. */
const [LEAST_BETWEEN, MOST_BETWEEN] = [8, 1024];
/** What a new run counts for in a mean. */
const WEIGHT = 0.3;

/**
 * Whether runs of a plan that come after a rest should wake the helpers. Where a processor is free a woken thread is there
 * at once, and a run is as fast as others. In a virtual machine Linux takes a processor that sleeps for one that the host
 * has taken away: helpers then wake on their caller's, which they hold up, and are moved after several milliseconds, when a
 * small model is done. No program can ask which of both it is, so runs are measured: a few of each kind, then the slower
 * one more and more seldom.
 */
export class RestedRuns {
  #cold = COLD;
  readonly #runs: Record<Mode, number> = { helped: 0, alone: 0 };
  readonly #mean: Record<Mode, number> = { helped: 0, alone: 0 };
  #between = LEAST_BETWEEN;
  #left = LEAST_BETWEEN;

  /** How the next run should compute. */
  next(): Mode {
    if (this.#cold > 0 || this.#mean.helped > LONG) return "helped";
    const { helped, alone } = this.#runs;
    if (Math.min(helped, alone) < TRIED) return helped <= alone ? "helped" : "alone";
    if (--this.#left > 0) return this.#faster;
    this.#between = Math.min(2 * this.#between, MOST_BETWEEN);
    this.#left = this.#between;
    return this.#faster === "helped" ? "alone" : "helped";
  }

  /** Notes what a run took. */
  took(mode: Mode, milliseconds: number): void {
    if (this.#cold > 0) {
      this.#cold--;
      return;
    }
    const before = this.#faster;
    const mean = this.#mean[mode];
    // A run that something else has held up says little.
    this.#mean[mode] =
      this.#runs[mode]++ === 0 ? milliseconds : mean + WEIGHT * (Math.min(milliseconds, 2 * mean) - mean);
    if (this.#faster !== before) this.#left = this.#between = LEAST_BETWEEN;
  }

  get #faster(): Mode {
    return this.#mean.helped <= this.#mean.alone ? "helped" : "alone";
  }
}
