// What Linux says of the threads of this process, in /proc.

import { readFileSync, readlinkSync } from "node:fs";

/** The system's number of this thread; undefined where that, or its processor, cannot be told. */
export function threadNumber(): number | undefined {
  if (Number.isNaN(processorOf())) return undefined;
  return Number(readlinkSync("/proc/thread-self").split("/").at(-1));
}

/** Returns the processor on which this thread runs, or one of this process; NaN where that cannot be told. */
export function processorOf(thread?: number): number {
  try {
    const stat = readFileSync(`/proc/${thread === undefined ? "thread-self" : `self/task/${thread}`}/stat`, "latin1");
    // The name of the thread, the second field, ends with the last parenthesis; the processor is the 39th one.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[36]);
  } catch {
    return Number.NaN;
  }
}
