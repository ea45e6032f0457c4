import type { StepTime } from "@pt2/runtime";

/** The total time of steps with the same ops. */
export interface OpTime {
  /** The op, or the fused ops of one kernel: `aten::conv2d + aten::relu`. */
  readonly ops: string;
  readonly count: number;
  readonly ms: number;
}

/** Sums the steps of a profile by their ops, slowest first. */
export function timesByOp(steps: readonly StepTime[]): readonly OpTime[] {
  const times = new Map<string, OpTime>();
  for (const { ops, ms } of steps) {
    const name = ops.join(" + ");
    const known = times.get(name) ?? { ops: name, count: 0, ms: 0 };
    times.set(name, { ops: name, count: known.count + 1, ms: known.ms + ms });
  }
  return [...times.values()].sort((a, b) => b.ms - a.ms);
}
