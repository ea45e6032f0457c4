/** Who computes in a run: this thread together with helpers, or alone. */
export type Mode = "together" | "alone";

const MODES: readonly Mode[] = ["together", "alone"];
/** The first runs, whose code is still being optimized. */
const COLD = 10;
/** Runs of each kind that are made before one is preferred; one is enough for a kind that takes this much more than the other. */
const [LEAST_RUNS, MUCH_MORE] = [3, 1.5];
/** Milliseconds above which runs are not tried alone: threads have been moved long before the end. */
const LONG = 40;
/** Runs between two trials of the slower kind: at first, and at most. */
const [LEAST_BETWEEN, MOST_BETWEEN] = [8, 256];
/**
 * What a run counts for in a mean: more if it was faster, since runs are held up by other programs, or by where threads
 * happened to wake.
 */
const WEIGHT = { faster: 0.5, slower: 0.2 } as const;

/**
 * Who should compute the runs of a plan that come after a rest. Helpers that are woken may come late, and to the processor of
 * the thread that woke them, see `Seat`: a small model is faster alone then. No program can ask which it is, so runs are
 * measured: some of each kind, then the slower one more and more seldom, and again at once when it was faster than expected.
 */
export class RestedRuns {
  #cold = COLD;
  readonly #runs: Record<Mode, number> = { together: 0, alone: 0 };
  readonly #mean: Record<Mode, number> = { together: Number.POSITIVE_INFINITY, alone: Number.POSITIVE_INFINITY };
  #between = LEAST_BETWEEN;
  #left = LEAST_BETWEEN;
  #next: Mode = "together";

  /** How the next run should compute. */
  get next(): Mode {
    return this.#next;
  }

  /** Notes what the next run took. */
  took(milliseconds: number): void {
    if (this.#cold > 0) {
      this.#cold--;
      return;
    }
    const mode = this.#next;
    const preferred = this.#fastest;
    this.#count(mode, milliseconds);
    const fastest = this.#fastest;
    if (fastest !== preferred) this.#left = this.#between = LEAST_BETWEEN;
    const isPromising = mode !== fastest && milliseconds < this.#mean[fastest];
    this.#next = isPromising ? mode : (this.#modes.find((one) => this.#isNew(one)) ?? this.#trialOr(fastest));
  }

  /** Whether too little is known of a kind. */
  #isNew(mode: Mode): boolean {
    const runs = this.#runs[mode];
    return runs === 0 || (runs < LEAST_RUNS && this.#mean[mode] < MUCH_MORE * this.#mean[this.#fastest]);
  }

  #count(mode: Mode, milliseconds: number): void {
    const mean = this.#mean[mode];
    const weight = milliseconds < mean ? WEIGHT.faster : WEIGHT.slower;
    // A run that something else has held up says little.
    this.#mean[mode] =
      this.#runs[mode]++ === 0 ? milliseconds : mean + weight * (Math.min(milliseconds, 1.5 * mean) - mean);
  }

  /** The other kind than the fastest when it is time to try it. */
  #trialOr(fastest: Mode): Mode {
    if (--this.#left > 0) return fastest;
    this.#between = Math.min(2 * this.#between, MOST_BETWEEN);
    this.#left = this.#between;
    return this.#modes.find((mode) => mode !== fastest) ?? fastest;
  }

  /** The kinds that come into question. */
  get #modes(): readonly Mode[] {
    return this.#mean.together > LONG ? ["together"] : MODES;
  }

  get #fastest(): Mode {
    return this.#modes.reduce((one, other) => (this.#mean[other] < this.#mean[one] ? other : one));
  }
}
