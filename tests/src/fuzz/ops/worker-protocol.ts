import type { CallSpec } from "./call-spec.ts";

/** The task of a worker, as JSON in its first argument. */
export interface WorkerTask {
  /** The file in which it keeps the current call: when the process ends, that call ended it. */
  readonly state: string;
  /** The path of the guarded allocator; null to run with libtorch's own. */
  readonly guard: string | null;
  readonly seed: number;
  /** The number of calls of each op. */
  readonly calls: number;
  /** The ops to walk, in order; or calls to make again. */
  readonly work: { readonly ops: readonly string[] } | { readonly replay: readonly CallSpec[] };
}

/** A line that a worker prints for each op, or each repeated call. */
export interface WorkerLine {
  readonly done: number;
  readonly calls: number;
  /** The number of calls that gave results. */
  readonly ran: number;
  /** Calls that ended in something other than an error with a code of this package. */
  readonly strange: readonly { readonly call: CallSpec; readonly problem: string }[];
}

/** The bytes of the header of a state file: number of calls, length of the call's JSON. */
export const HEADER = 32;
