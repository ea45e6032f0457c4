import type { StepTime } from "@pt2/runtime";
import type { GraphBox } from "./boxes.ts";

/** Milliseconds by node. A fused step counts for its last node. */
export type NodeTimes = ReadonlyMap<string, number>;

/** Adds up the steps of a profile by node. */
export function timesByNode(steps: readonly StepTime[]): NodeTimes {
  const times = new Map<string, number>();
  for (const { node, ms } of steps) times.set(node, (times.get(node) ?? 0) + ms);
  return times;
}

/** What the slowest box took; never 0, so that times can be parts of it. */
export function longestTime(boxes: Iterable<{ readonly box: GraphBox }>, times: NodeTimes): number {
  let longest = Number.MIN_VALUE;
  for (const { box } of boxes) longest = Math.max(longest, timeOf(box, times));
  return longest;
}

/** Milliseconds spent in what a box stands for. */
export function timeOf({ nodes }: GraphBox, times: NodeTimes): number {
  return nodes.reduce((sum, { name }) => sum + (times.get(name) ?? 0), 0);
}
