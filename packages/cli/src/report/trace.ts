import type { Profile } from "@pt2/runtime";

/** A trace in Chrome's event format, which Perfetto opens: https://perfetto.dev/docs/getting-started/other-formats. */
export interface Trace {
  readonly displayTimeUnit: "ms";
  readonly traceEvents: readonly TraceEvent[];
}

/** A complete event (`X`) or metadata (`M`). Times are microseconds. */
export interface TraceEvent {
  readonly name: string;
  readonly ph: "X" | "M";
  readonly pid: number;
  readonly tid: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly cat?: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Converts the steps of one run to a trace. */
export function traceOf({ steps, totalMs }: Profile, backend: string): Trace {
  const thread = { pid: 1, tid: 1 };
  return {
    displayTimeUnit: "ms",
    traceEvents: [
      { name: "process_name", ph: "M", ...thread, args: { name: `pt2 on ${backend}` } },
      { name: "thread_name", ph: "M", ...thread, args: { name: "forward" } },
      { name: "forward", ph: "X", ...thread, ts: 0, dur: totalMs * 1000, cat: "run", args: {} },
      ...steps.map(({ node, ops, where, startMs, ms }) => ({
        name: ops.join(" + "),
        ph: "X" as const,
        ...thread,
        ts: startMs * 1000,
        dur: ms * 1000,
        cat: "op",
        args: { node, where },
      })),
    ],
  };
}
