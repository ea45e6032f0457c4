// The calling thread's side of the slot. It loads after the page, where threads share memory.

import { LOOK_MS, Looks, TURN_MS } from "./look.ts";
import type { RunArgs, ToWorker, WireValue } from "./protocol.ts";
import { RunSlot } from "./run-slot.ts";

/** The calling thread's side of a slot. */
export class SlotCaller {
  readonly slot: RunSlot;
  readonly #post: (message: ToWorker) => void;
  readonly #answer: (id: number, values: readonly WireValue[]) => void;
  readonly #looks = new Looks();
  /** The executable that has run last, and for how many milliseconds. */
  #last = 0;
  #lasted = 0;
  /** Milliseconds that this thread has looked for answers since one came as a message. */
  #looked = 0;

  /** Opens a slot, and tells the worker. `answer` resolves a run. */
  constructor(
    post: (message: ToWorker) => void,
    answer: (id: number, values: readonly WireValue[]) => void,
    slot: RunSlot = new RunSlot(),
  ) {
    this.#post = post;
    this.#answer = answer;
    this.slot = slot;
    post({ kind: "slot", buffer: slot.buffer });
  }

  /** Puts a run into the slot, which is free. Returns false where it does not fit. */
  ask(id: number, { executable, inputs }: RunArgs): boolean {
    return this.slot.ask({ id, executable, values: inputs });
  }

  /** Has the run computed that was asked for, and answers it where that takes little time. */
  compute({ executable }: RunArgs): void {
    if (!this.slot.workerLooks) this.#post({ kind: "look" });
    // A small program has its results before this thread could go to sleep and be woken.
    const isSoon = (this.#last !== executable || this.#lasted < LOOK_MS) && this.#looked < TURN_MS;
    if (isSoon && this.#looks.isDue()) this.#looked += this.#looks.until(() => this.slot.isAnswered);
    this.slot.callerLooks = false;
    this.#take();
  }

  /** Takes the answer that the worker has written. */
  answered(): void {
    this.#looked = 0;
    this.#take();
  }

  #take(): void {
    const answer = this.slot.takeAnswer();
    if (answer === null) return;
    this.#last = answer.executable;
    this.#lasted = this.slot.milliseconds;
    this.#answer(answer.id, answer.values);
  }
}
