import { type Board, WORD } from "./board.ts";

/** Returns the processor on which this thread runs, or the one with a system's number; NaN where that cannot be told. */
export type ProcessorOf = (thread?: number) => number;

/** How often a helper lets others go first, and how many milliseconds it waits each time. */
const [MOST_WAITS, WAIT] = [4, 0.05];

/**
 * The place of a helper among those that compute. After a rest helpers are called, and those that come first have the seats.
 *
 * Where a processor is free a woken thread is there at once. In a virtual machine, however, Linux takes a processor that
 * sleeps for one that the host has taken away (`vcpu_is_preempted`): a woken thread comes to its caller's, and each holds the
 * other up until one is moved. That takes several milliseconds, as long as a run of a small model. So there is a helper more
 * than there are seats where a platform can tell processors: of two that are woken one comes elsewhere, and one that
 * finds itself where the caller computes lets others go first.
 */
export class Seat {
  readonly #words: Board["words"];
  readonly #processorOf: ProcessorOf | null;
  #index = -1;
  #call = -1;

  constructor({ words }: Board, processorOf: ProcessorOf | null) {
    this.#words = words;
    this.#processorOf = processorOf;
  }

  /** Which one it is, from 0 on. */
  get index(): number {
    return this.#index;
  }

  /** Whether this helper has it since the last call. */
  get isTaken(): boolean {
    return Atomics.load(this.#words, WORD.seats) >> 8 === this.#call;
  }

  /** Takes one; returns whether there was one left. */
  take(): boolean {
    const words = this.#words;
    for (let waits = 0; ; ) {
      const seats = Atomics.load(words, WORD.seats);
      if ((seats & 0xff) >= words[WORD.threads]! - 1) return false;
      if (waits < MOST_WAITS && this.#isWithCaller) {
        waits++;
        Atomics.wait(words, WORD.call, Atomics.load(words, WORD.call), WAIT);
      } else if (Atomics.compareExchange(words, WORD.seats, seats, seats + 1) === seats) {
        this.#index = seats & 0xff;
        this.#call = seats >> 8;
        return true;
      }
    }
  }

  get #isWithCaller(): boolean {
    const caller = this.#words[WORD.caller]!;
    return this.#processorOf !== null && caller !== 0 && this.#processorOf() === this.#processorOf(caller);
  }
}
