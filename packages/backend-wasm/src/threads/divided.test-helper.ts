import type { Threads } from "./thread-count.ts";

/**
 * A number of threads that divides every step, however small, and whose helpers never come: the thread that hands out
 * parts computes them all. For tests of what a step computes when it is divided.
 */
export function divided(count: number): Threads {
  return { count, why: null, shortest: Number.MIN_VALUE, start: () => ({ post() {}, terminate() {} }) };
}
