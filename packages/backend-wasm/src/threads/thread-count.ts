import { type OptionTypes, requireOptions } from "@pt2/format/options";
import { wasmError } from "../wasm-errors.ts";
import type { StartHelper } from "./helper-messages.ts";

/** The threads of a backend. */
export interface Threads {
  /** How many there are, including the one that runs the steps of a model. */
  readonly count: number;
  /** Why there is one, where that is not what was asked for. */
  readonly why: string | null;
  readonly start: StartHelper;
  /** The system's number of the calling thread, where helpers can ask for the processors on which threads run. */
  readonly caller?: number | undefined;
  /** Nanoseconds of the shortest part of a step; tests divide everything. */
  readonly shortest?: number;
}

/** The thread that runs a model alone. */
export const ONE_THREAD: Threads = {
  count: 1,
  why: null,
  start() {
    throw new Error("one thread has no helpers");
  },
};

/** Threads of a backend at most. */
export const MOST_THREADS = 64;
/** Threads that are used at most unless more are asked for. */
const MOST_BY_DEFAULT = 8;

/**
 * Threads for a machine of this many logical processors. Few ones are taken for cores; of many, half are, since as a rule
 * two share one, and a second thread of a core has nothing to compute with.
 */
function defaultThreads(processors: number): number {
  const cores = processors <= 4 ? processors : Math.ceil(processors / 2);
  return Math.max(1, Math.min(MOST_BY_DEFAULT, cores));
}

const OPTIONS: OptionTypes = { worker: "boolean", threads: "number" };

/**
 * Returns the number of threads that the options of `wasm` ask for. Throws `wasm.threads` for what is none, and
 * `backend.options` for options that are none.
 */
export function requireThreads(options: { readonly threads?: number }, processors: number): number {
  requireOptions("wasm()", options, OPTIONS, "backend.options");
  const { threads = defaultThreads(processors) } = options;
  if (Number.isInteger(threads) && threads >= 1 && threads <= MOST_THREADS) return threads;
  throw wasmError("wasm.threads", {
    what: `wasm() was given ${threads} threads`,
    advice: `Give an integer from 1 to ${MOST_THREADS}, or leave it out for one thread a core, ${MOST_BY_DEFAULT} at most.`,
  });
}
