import type { CallSpec } from "./call-spec.ts";

/** What a worker is to do, as JSON in its first argument. */
export interface WorkerTask {
  /** The file in which it keeps the call that it makes: what is in it when the process ends is what ended it. */
  readonly state: string;
  /** Path of the guarded allocator; null to run with libtorch's own. */
  readonly guard: string | null;
  readonly seed: number;
  /** Calls of each op. */
  readonly calls: number;
  /** Ops to walk, in order; or calls to make again. */
  readonly work: { readonly ops: readonly string[] } | { readonly replay: readonly CallSpec[] };
}

/** A line that a worker prints for each op, or each repeated call. */
export interface WorkerLine {
  readonly done: number;
  readonly calls: number;
  /** Calls that gave results. */
  readonly ran: number;
  /** Calls that ended in something other than an error with a code of this package. */
  readonly strange: readonly { readonly call: CallSpec; readonly problem: string }[];
}

/** Bytes of the header of a state file: number of calls, length of the call's JSON. */
export const HEADER = 32;
