/** How many of the last frames are counted. */
const WINDOW = 20;

/** Frames per second over the last frames. */
export class FrameRate {
  readonly #times: number[] = [];

  /** Counts a frame at `now`, in milliseconds; null until there are two. */
  add(now: number): number | null {
    this.#times.push(now);
    if (this.#times.length > WINDOW) this.#times.shift();
    const [first] = this.#times;
    return this.#times.length < 2 ? null : (1000 * (this.#times.length - 1)) / (now - first!);
  }
}
