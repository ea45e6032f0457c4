import type { Value } from "@pt2/backend";
import type { WireValue } from "./protocol.ts";
import { readValues, writeValues } from "./slot-values.ts";

/** Indices of 32-bit words. */
const WORD = { state: 0, id: 1, executable: 2, workerLooks: 3, callerLooks: 4, posted: 5, microseconds: 6 } as const;
const WORDS = 16;
const STATE = { free: 0, asked: 1, taken: 2, answered: 3 } as const;

/** Bytes of the inputs or the results of a run. What takes more takes longer than a message. */
const BYTES = 128 * 1024;

/** A run in the slot, with its inputs or its results. */
export interface SlotRun {
  readonly id: number;
  readonly executable: number;
  readonly values: readonly WireValue[];
}

/**
 * Shared memory through which one run at a time crosses to the worker, and its results back. A thread that looks at it
 * sees what is new; one that sleeps has to be sent a message, so each says here whether it looks. It says so before it
 * looks for the last time, and the other one asks only after it has written: one of them notices.
 */
export class RunSlot {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #values: Float64Array;

  /** Makes a slot, or opens that of another thread. */
  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(WORDS * 4 + BYTES)) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer, 0, WORDS);
    this.#values = new Float64Array(buffer, WORDS * 4);
  }

  /** Asks for a run, in a slot that has none. Returns false where its inputs do not fit. */
  ask({ id, executable, values }: SlotRun): boolean {
    if (!writeValues(this.#values, values)) return false;
    this.#words[WORD.id] = id;
    this.#words[WORD.executable] = executable;
    Atomics.store(this.#words, WORD.callerLooks, 1);
    Atomics.store(this.#words, WORD.state, STATE.asked);
    return true;
  }

  /** Takes the run that was asked for, if one was. */
  take(): SlotRun | null {
    return this.#read(STATE.asked, STATE.taken);
  }

  /**
   * Answers the run that was taken, says how long it took, and whether the worker looks for another. Returns false where
   * its results do not fit.
   */
  answer(values: readonly Value[], milliseconds: number, workerLooks: boolean): boolean {
    if (!writeValues(this.#values, values)) return false;
    this.#words[WORD.microseconds] = milliseconds * 1000;
    Atomics.store(this.#words, WORD.workerLooks, Number(workerLooks));
    Atomics.store(this.#words, WORD.state, STATE.answered);
    return true;
  }

  /** Takes the answer, if there is one. */
  takeAnswer(): SlotRun | null {
    return this.#read(STATE.answered, STATE.free);
  }

  /** How long the last run took that was answered here. */
  get milliseconds(): number {
    return this.#words[WORD.microseconds]! / 1000;
  }

  get isAsked(): boolean {
    return Atomics.load(this.#words, WORD.state) === STATE.asked;
  }

  get isAnswered(): boolean {
    return Atomics.load(this.#words, WORD.state) === STATE.answered;
  }

  get workerLooks(): boolean {
    return Atomics.load(this.#words, WORD.workerLooks) !== 0;
  }

  set workerLooks(looks: boolean) {
    Atomics.store(this.#words, WORD.workerLooks, Number(looks));
  }

  get callerLooks(): boolean {
    return Atomics.load(this.#words, WORD.callerLooks) !== 0;
  }

  set callerLooks(looks: boolean) {
    Atomics.store(this.#words, WORD.callerLooks, Number(looks));
  }

  /** The number of messages to the worker: while one waits, it does not look. */
  get posted(): number {
    return Atomics.load(this.#words, WORD.posted);
  }

  /** Counts a message that will be posted to the worker. */
  countPosted(): void {
    Atomics.add(this.#words, WORD.posted, 1);
  }

  #read(state: number, next: number): SlotRun | null {
    if (Atomics.load(this.#words, WORD.state) !== state) return null;
    const [id, executable] = [this.#words[WORD.id]!, this.#words[WORD.executable]!];
    const values = readValues(this.#values);
    Atomics.store(this.#words, WORD.state, next);
    return { id, executable, values };
  }
}
