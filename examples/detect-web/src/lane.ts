/** Does one thing at a time: what is asked for last ends what is under way. */
export class Lane {
  readonly #onProblem: (problem: unknown) => void;
  #current = new AbortController();

  /** `onProblem` is told what goes wrong, unless something else was asked for by then. */
  constructor(onProblem: (problem: unknown) => void) {
    this.#onProblem = onProblem;
  }

  /** Begins `work`, which has to stop, and to leave everything as it is, when its signal is aborted. */
  async do(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#current.abort();
    this.#current = new AbortController();
    const { signal } = this.#current;
    try {
      await work(signal);
    } catch (problem) {
      if (!signal.aborted) this.#onProblem(problem);
    }
  }
}
