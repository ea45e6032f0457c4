import { wasmError } from "../wasm-errors.ts";
import { type Board, type Callee, newBoard, takeFailure, takePart, WORD } from "./board.ts";
import type { HelperHandle, StartHelper, ToHelper } from "./helper-messages.ts";
import { Spin } from "./spin.ts";
import { MOST_THREADS, type Threads } from "./thread-count.ts";

/** A module whose functions steps call, and how many of them. */
interface Module {
  readonly id: number;
  readonly code: WebAssembly.Module;
  uses: number;
}

/** What helpers are told about a model. */
interface Model {
  readonly memory: WebAssembly.Memory;
  readonly modules: Map<WebAssembly.Module, Module>;
  /** By index, as this thread calls them. */
  readonly callees: Callee[];
  readonly functions: Map<number, { readonly module: Module; readonly name: string }>;
  nextModule: number;
  nextFunction: number;
}

/** What helpers may hold of models and functions that are gone. */
const MOST_FORGOTTEN = { models: 32, bytes: 64 * 2 ** 20 } as const;
/** What the code of a function may take, with its module. */
const CODE_BYTES = 64 * 2 ** 10;
/** Runs after a rest until the spare helper starts, see `Seat`: a process that computes once does without it. */
const SPARE_AFTER = 3;
/** Milliseconds without a run after which processors may have gone to sleep. */
const REST_MS = 1;
/** Milliseconds for which the calling thread gives way to its helpers: V8 does not wait for less than a few microseconds. */
const GIVE_WAY = 0.05;
/** Milliseconds after which who waits for parts looks whether any was done. */
const LOOK_AFTER = 1000;
/** How often in a row none was, before a thread counts as lost. A clock would count the time that a machine sleeps, too. */
const LOST_AFTER = 60;

/**
 * Helper threads of one thread, which hands out the parts of one step at a time and takes parts itself. Helpers sleep
 * between runs. A helper that comes late to a step, or never starts, costs nothing but its help: who is there does the
 * work.
 */
export class Pool {
  /** The number of threads, including the one that hands out. */
  readonly threads: number;
  /** Nanoseconds of the shortest part; undefined for those that pay. */
  readonly shortest: number | undefined;
  readonly #startHelper: StartHelper;
  readonly #caller: number | undefined;
  readonly #models = new Map<number, Model>();
  readonly #spin = new Spin();
  #board: Board;
  #helpers: HelperHandle[] | null = null;
  #nextModel = 0;
  #forgotten = { models: 0, bytes: 0 };
  #news = 0;
  #noted = 0;
  #lastRun = Number.NEGATIVE_INFINITY;
  #calls = 0;
  /** Whether helpers without a seat should look when there is something new. */
  #calling = false;
  /** Whether helpers were called, one of which should have come when there is something to do. */
  #isExpecting = false;
  /** Why there are no helpers; null while there may be. */
  #failure: string | null = null;

  constructor({ count, start, shortest, caller }: Threads) {
    this.threads = Math.min(count, MOST_THREADS);
    this.#caller = caller;
    this.#board = newBoard(this.threads, this.#caller);
    this.#startHelper = start;
    this.shortest = shortest;
  }

  /** Why this thread computes alone, if it does. */
  get failure(): string | null {
    return this.#failure;
  }

  /** Starts the helpers, unless they run; returns whether there are any. */
  start(): boolean {
    if (this.#helpers !== null) return true;
    if (this.#failure !== null) return false;
    this.#helpers = [];
    for (let i = 0; i < this.threads - 1; i++) if (!this.#startOne()) return false;
    return true;
  }

  #startOne(): boolean {
    const helpers = this.#helpers!;
    const failed = (error: unknown): void => {
      // What ended helpers say no longer counts.
      if (this.#helpers !== helpers) return;
      this.#failure = `helper threads could not be started: ${error instanceof Error ? error.message : error}`;
      this.stop();
    };
    const index = helpers.length;
    try {
      helpers.push(this.#startHelper(this.#board.buffer, index, failed));
    } catch (error) {
      failed(error);
      return false;
    }
    for (const [model, told] of this.#models) {
      for (const message of everythingAbout(model, told)) this.#send(index, message);
    }
    return true;
  }

  /** Ends the helpers. They start again when there is work. */
  stop(): void {
    for (const helper of this.#helpers ?? []) helper.terminate();
    this.#helpers = null;
    this.#forgotten = { models: 0, bytes: 0 };
    // A helper that has not ended yet sees the old one.
    this.#board = newBoard(this.threads, this.#caller);
  }

  addModel(memory: WebAssembly.Memory): number {
    const model = this.#nextModel++;
    const told = { memory, modules: new Map(), callees: [], functions: new Map(), nextModule: 0, nextFunction: 0 };
    this.#models.set(model, told);
    this.#tell({ kind: "model", model, memory });
    return model;
  }

  /**
   * Forgets a model. A helper that sleeps collects no garbage, so that the memory of the model stays with it: helpers end
   * when they hold much, and others start when there is work.
   */
  removeModel(model: number): void {
    const { memory } = this.#models.get(model)!;
    this.#models.delete(model);
    if (this.#helpers === null) return;
    this.#post({ kind: "forget", model });
    this.#forget(1, memory.buffer.byteLength);
  }

  /** Makes a function of a module callable by helpers; returns its index. */
  addFunction(model: number, code: WebAssembly.Module, name: string, run: Callee): number {
    const told = this.#models.get(model)!;
    const module = told.modules.get(code) ?? { id: told.nextModule++, code, uses: 0 };
    if (module.uses++ === 0) {
      told.modules.set(code, module);
      this.#tell({ kind: "module", model, module: module.id, code });
    }
    const index = told.nextFunction++;
    told.callees[index] = run;
    told.functions.set(index, { module, name });
    this.#tell({ kind: "function", model, index, module: module.id, name });
    return index;
  }

  /** Forgets a function that no step calls any more; it may be one of a model that is forgotten already. */
  removeFunction(model: number, index: number): void {
    const told = this.#models.get(model);
    const known = told?.functions.get(index);
    if (told === undefined || known === undefined) return;
    const { module } = known;
    told.functions.delete(index);
    delete told.callees[index];
    const isLast = --module.uses === 0;
    if (isLast) told.modules.delete(module.code);
    this.#tell({ kind: "drop", model, index, module: isLast ? module.id : null });
    if (this.#helpers !== null) this.#forget(0, CODE_BYTES);
  }

  /** Whether there was no run for a while before this time. */
  hasRested(now: number): boolean {
    return now - this.#lastRun > REST_MS;
  }

  /**
   * Says that a run begins after a rest: all helpers are called, now if it is known that there `isWork` for them and otherwise when
   * there is something to do. Those that take a seat stay awake between steps, for where threads are on one processor Linux
   * moves one of two only while both want to compute.
   */
  call(isWork: boolean): void {
    const { words } = this.#board;
    this.#calls = (this.#calls + 1) & 0x7fffff;
    Atomics.store(words, WORD.seats, this.#calls << 8);
    Atomics.store(words, WORD.awake, 1);
    this.#calling = true;
    if (isWork) this.#announce(0);
    const helpers = this.#helpers?.length ?? 0;
    this.#isExpecting = isWork && helpers === this.threads;
    const isSpareMissing = this.#caller !== undefined && helpers === this.threads - 1;
    if (isSpareMissing && this.#calls >= SPARE_AFTER) this.#startOne();
  }

  /** Says that a run has ended. */
  rest(): void {
    Atomics.store(this.#board.words, WORD.awake, 0);
    this.#lastRun = performance.now();
  }

  /** Begins the notes of a step. */
  beginNotes(): void {
    this.#noted = 0;
  }

  beginPart(part: number): void {
    this.#board.starts[part] = this.#noted;
  }

  note(index: number, args: readonly number[]): void {
    const { calls } = this.#board;
    calls[this.#noted++] = index;
    calls[this.#noted++] = args.length;
    for (const arg of args) calls[this.#noted++] = arg;
  }

  /** Ends the notes of a step; returns false when there were more than fit. */
  endNotes(parts: number): boolean {
    const { starts, calls } = this.#board;
    starts[parts] = this.#noted;
    return this.#noted <= calls.length;
  }

  /** Makes all noted calls, in any order of the parts. Throws what the first part that failed threw. */
  run(model: number, parts: number): void {
    const board = this.#board;
    const { words } = board;
    if (this.#isExpecting) this.#giveWay();
    words[WORD.model] = model;
    words[WORD.pending] = parts;
    this.#announce(parts);
    const functions = (): readonly Callee[] => this.#models.get(model)!.callees;
    const open = words[WORD.open]!;
    while (takePart(board, open, 0, functions));
    this.#awaitOthers();
    if (Atomics.load(words, WORD.failed) !== 0) throw new WebAssembly.RuntimeError(takeFailure(board));
  }

  /**
   * Lets a helper have this processor for a moment if none of those that were called has come. V8 has each woken by the one before it.
   * In a virtual machine Linux puts the first on its caller's processor (see `Seat`), where it would wait for the next tick of the
   * scheduler, up to 4 ms, and the others with it. When it has run, the next comes to a free processor.
   */
  #giveWay(): void {
    this.#isExpecting = false;
    const { words } = this.#board;
    if ((Atomics.load(words, WORD.seats) & 0xff) === 0) Atomics.wait(words, WORD.awake, 1, GIVE_WAY);
  }

  #awaitOthers(): void {
    const { words } = this.#board;
    const done = (): boolean => Atomics.load(words, WORD.pending) === 0;
    const staysAwake = (): boolean => Atomics.load(words, WORD.awake) !== 0;
    if (this.#spin.until(done, staysAwake)) return;
    Atomics.store(words, WORD.awaited, 1);
    for (let looks = 0; !done(); ) {
      const pending = Atomics.load(words, WORD.pending);
      if (pending !== 0 && Atomics.wait(words, WORD.pending, pending, LOOK_AFTER) === "timed-out") looks++;
      if (Atomics.load(words, WORD.pending) !== pending) looks = 0;
      else if (Atomics.load(words, WORD.ended) !== 0 || looks >= LOST_AFTER) {
        this.stop();
        throw threadEnded();
      }
    }
    Atomics.store(words, WORD.awaited, 0);
  }

  #tell(message: ToHelper): void {
    if (this.#helpers !== null) this.#post(message);
  }

  /** Counts what helpers hold for nothing, and ends them when it is much. */
  #forget(models: number, bytes: number): void {
    this.#forgotten.models += models;
    this.#forgotten.bytes += bytes;
    if (this.#forgotten.models > MOST_FORGOTTEN.models || this.#forgotten.bytes > MOST_FORGOTTEN.bytes) this.stop();
  }

  /** Helpers that wait leave their loop to receive it. */
  #post(message: ToHelper): void {
    for (const index of this.#helpers!.keys()) this.#send(index, message);
    this.#calling = true;
    this.#announce(0);
  }

  #send(index: number, message: ToHelper): void {
    Atomics.add(this.#board.words, WORD.mail + index, 1);
    this.#helpers![index]!.post(message);
  }

  /** Says that there is something new: mail, or parts to take. */
  #announce(parts: number): void {
    const { words, free } = this.#board;
    this.#news = (this.#news + 1) & 0x7fffff;
    free.fill(this.#news, 0, parts);
    // Who sees this one sees all that was written before it.
    Atomics.store(words, WORD.open, (this.#news << 8) | parts);
    if (Atomics.load(words, WORD.asleep) !== 0) Atomics.notify(words, WORD.open);
    if (!this.#calling) return;
    this.#calling = false;
    Atomics.add(words, WORD.call, 1);
    Atomics.notify(words, WORD.call);
  }
}

/** What a helper is told that starts when the model is known already. */
function everythingAbout(model: number, { memory, modules, functions }: Model): readonly ToHelper[] {
  return [
    { kind: "model", model, memory },
    ...[...modules.values()].map(({ id, code }) => ({ kind: "module", model, module: id, code }) as const),
    ...[...functions].map(
      ([index, { module, name }]) => ({ kind: "function", model, index, module: module.id, name }) as const,
    ),
  ];
}

function threadEnded(): Error {
  return wasmError("wasm.thread-ended", {
    what: "A thread that computes parts of the model has ended, or does not answer",
    advice: "Run again, with new threads; wasm({ threads: 1 }) computes without them.",
  });
}
