// What the threads of a team have in common: a few words of shared memory, through which work is handed out, and the
// calls of which it consists.

/**
 * Indices of 32-bit words, on cache lines of 16: a thread that looks at a line all the time makes each write to it wait, so that
 * the first has a line of its own.
 */
export const WORD = {
  /** How often there was something new, times 256, plus the parts of a step. Threads look at it, and sleep on it. */
  open: 0,
  /** Parts that are not done. Who hands out a step waits on it. */
  pending: 16,
  /** Which model's memory the calls work in. */
  model: 32,
  /** 1 after a part has failed. */
  failed: 33,
  /** Bytes of the message of the first failure. */
  messageBytes: 34,
  /** 1 after a helper has ended in the middle of a part. */
  ended: 35,
  /** Threads of the team. */
  threads: 36,
  /** 1 during a run in which helpers should not sleep. */
  awake: 37,
  /** Helpers with a seat that sleep until there is something new: waking none takes a microsecond, too. */
  asleep: 38,
  /** 1 while who hands out a step sleeps until its parts are done. */
  awaited: 39,
  /** How often helpers were called, times 256, plus the seats that are taken, see `Seat`. */
  seats: 40,
  /** Changes when helpers without a seat should look. They sleep on it. */
  call: 41,
  /** The system's number of the thread that hands out; 0 where that is not known. */
  caller: 42,
  /** From here on: how many messages each helper was sent. */
  mail: 64,
  /** From here on: 1 for each helper that computes a part. */
  busy: 128,
} as const;

/** Parts of a step at most: what fits in `WORD.open`. */
export const MOST_PARTS = 255;
const WORDS = 256;
const MESSAGE_BYTES = 512;
const NUMBERS = 32 * 1024;

/** Views of the shared memory of a team. */
export interface Board {
  readonly buffer: SharedArrayBuffer;
  readonly words: Int32Array<SharedArrayBuffer>;
  /** The UTF-8 message of a failure. */
  readonly message: Uint8Array<SharedArrayBuffer>;
  /** Where the calls of each part begin in `calls`, and where the last one ends. */
  readonly starts: Int32Array<SharedArrayBuffer>;
  /** For each part: the step's number (`WORD.open` without its parts) until a thread takes it. */
  readonly free: Int32Array<SharedArrayBuffer>;
  /** Calls, one behind the other: the index of the function, the number of arguments, the arguments. */
  readonly calls: Float64Array<SharedArrayBuffer>;
}

const STARTS_AT = WORDS * 4 + MESSAGE_BYTES;
const FREE_AT = STARTS_AT + (MOST_PARTS + 1) * 4;
const CALLS_AT = FREE_AT + (MOST_PARTS + 1) * 4;

/** Makes the shared memory of a team, whose caller has this system's number. */
export function newBoard(threads: number, caller = 0): Board {
  const board = boardOf(new SharedArrayBuffer(CALLS_AT + NUMBERS * 8));
  board.words[WORD.threads] = threads;
  board.words[WORD.caller] = caller;
  return board;
}

/** The views of a team's shared memory, in any of its threads. */
export function boardOf(buffer: SharedArrayBuffer): Board {
  return {
    buffer,
    words: new Int32Array(buffer, 0, WORDS),
    message: new Uint8Array(buffer, WORDS * 4, MESSAGE_BYTES),
    starts: new Int32Array(buffer, STARTS_AT, MOST_PARTS + 1),
    free: new Int32Array(buffer, FREE_AT, MOST_PARTS),
    calls: new Float64Array(buffer, CALLS_AT, NUMBERS),
  };
}

/** A function that parts call. */
export type Callee = (...args: readonly number[]) => unknown;

/**
 * Takes a part of the step that `open` (what `WORD.open` held) speaks of and makes its calls; false when others did. A
 * thread begins with those parts that it had in the steps before, as far as they were divided alike: most of what they
 * read is then in its processor's own cache. When they are taken it goes on with those of others.
 */
export function takePart(
  board: Board,
  open: number,
  thread: number,
  functionsOf: (model: number) => readonly Callee[],
): boolean {
  const { words, starts, calls } = board;
  const part = claimPart(board, open, thread);
  if (part < 0) return false;
  // A step ends only when all its parts are done, so that from here on the board does not change.
  try {
    const functions = functionsOf(words[WORD.model]!);
    for (let at = starts[part]!; at < starts[part + 1]!; ) {
      const run = functions[calls[at]!]!;
      const end = at + 2 + calls[at + 1]!;
      // Spreading a typed array would take four times as long.
      Reflect.apply(run, undefined, calls.subarray(at + 2, end));
      at = end;
    }
  } catch (error) {
    fail(board, error);
  }
  if (Atomics.sub(words, WORD.pending, 1) === 1 && Atomics.load(words, WORD.awaited) !== 0) {
    Atomics.notify(words, WORD.pending);
  }
  return true;
}

/** Returns a part of a step that is this thread's from here on; -1 when there is none. */
function claimPart({ words, free }: Board, open: number, thread: number): number {
  const [step, parts] = [open >> 8, open & 0xff];
  const first = Math.floor((thread * parts) / words[WORD.threads]!);
  for (let i = 0; i < parts; i++) {
    const part = (first + i) % parts;
    // Looking first keeps the line of those who have taken theirs.
    if (Atomics.load(free, part) === step && Atomics.compareExchange(free, part, step, -1) === step) return part;
  }
  return -1;
}

/** Notes the first failure of a step. */
function fail({ words, message }: Board, error: unknown): void {
  if (Atomics.compareExchange(words, WORD.failed, 0, 1) !== 0) return;
  const text = new TextEncoder().encode(error instanceof Error ? error.message : String(error));
  const fitting = text.subarray(0, message.length);
  message.set(fitting);
  Atomics.store(words, WORD.messageBytes, fitting.length);
}

/** Says, in a helper that ends, that its part will never be done. */
export function endHelper({ words }: Board, helper: number): void {
  if (Atomics.load(words, WORD.busy + helper) === 0) return;
  Atomics.store(words, WORD.ended, 1);
  Atomics.notify(words, WORD.pending);
}

/** Reads the message of a failed step, and forgets it. */
export function takeFailure({ words, message }: Board): string {
  const bytes = message.slice(0, Atomics.load(words, WORD.messageBytes));
  Atomics.store(words, WORD.failed, 0);
  return new TextDecoder().decode(bytes);
}
