/** What helpers do in a run: they come by themselves, they are woken, or they take no part. */
export type Mode = "timed" | "woken" | "alone";

const MODES: readonly Mode[] = ["timed", "woken", "alone"];
/** The first runs, whose code is still being optimized. */
const COLD = 10;
/** Milliseconds above which runs are not tried alone: threads have been moved long before the end. */
const LONG = 40;
/** Runs between two trials of a slower kind: at first, and at most. */
const [LEAST_BETWEEN, MOST_BETWEEN] = [8, 256];
/**
 * What a run counts for in a mean: more if it was faster, since runs are held up by other programs, or by where threads
 * happened to wake.
 */
const WEIGHT = { faster: 0.5, slower: 0.2 } as const;

/**
 * What helpers should do in the runs of a plan that come after a rest. Where a processor is free a woken thread is there at
 * once. In a virtual machine Linux takes a processor that sleeps for one that the host has taken away: a woken thread comes
 * to its caller's, which it holds up, and is moved after several milliseconds, when a small model is done. There it is
 * better that threads wake by themselves, see {@link napAfter}, or not at all. No program can ask which it is, so runs are
 * measured: some of each kind, then the slower ones more and more seldom, and again at once when one was faster than expected.
 * The first run of a kind is not counted: its helpers still sleep as the kind before left them.
 */
export class RestedRuns {
  #cold = COLD;
  readonly #runs: Record<Mode, number> = { timed: 0, woken: 0, alone: 0 };
  readonly #mean: Record<Mode, number> = { timed: 0, woken: 0, alone: 0 };
  #between = LEAST_BETWEEN;
  #left = LEAST_BETWEEN;
  #trials = 0;
  #next: Mode = "timed";
  #before: Mode = "timed";

  /** How the next run should compute. */
  get next(): Mode {
    return this.#next;
  }

  /** Whether helpers should be woken in runs that follow at once. */
  get woken(): boolean {
    return this.#runs.woken === 0 || this.#mean.woken < this.#mean.timed;
  }

  /** Whether helpers should nap before they sleep, so that they can come by themselves. */
  get naps(): boolean {
    return this.#next !== "woken";
  }

  /** Notes what the next run took. */
  took(milliseconds: number): void {
    if (this.#cold > 0) {
      this.#cold--;
      return;
    }
    const mode = this.#next;
    const isFirst = mode !== this.#before;
    this.#before = mode;
    if (isFirst) return;
    const preferred = this.#fastest;
    this.#count(mode, milliseconds);
    const fastest = this.#fastest;
    if (fastest !== preferred) this.#left = this.#between = LEAST_BETWEEN;
    const isPromising = mode !== fastest && milliseconds < this.#mean[fastest];
    this.#next = isPromising ? mode : (this.#modes.find((one) => this.#runs[one] === 0) ?? this.#trialOr(fastest));
  }

  #count(mode: Mode, milliseconds: number): void {
    const mean = this.#mean[mode];
    const weight = milliseconds < mean ? WEIGHT.faster : WEIGHT.slower;
    // A run that something else has held up says little.
    this.#mean[mode] =
      this.#runs[mode]++ === 0 ? milliseconds : mean + weight * (Math.min(milliseconds, 1.5 * mean) - mean);
  }

  /** Another kind than the fastest when it is time to try one. */
  #trialOr(fastest: Mode): Mode {
    if (--this.#left > 0) return fastest;
    this.#between = Math.min(2 * this.#between, MOST_BETWEEN);
    this.#left = this.#between;
    const others = this.#modes.filter((mode) => mode !== fastest);
    return others[this.#trials++ % others.length]!;
  }

  /** The kinds that come into question. */
  get #modes(): readonly Mode[] {
    return this.#mean.timed > LONG ? MODES.filter((mode) => mode !== "alone") : MODES;
  }

  get #fastest(): Mode {
    return this.#modes.reduce((one, other) => (this.#mean[other] < this.#mean[one] ? other : one));
  }
}
