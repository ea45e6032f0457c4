/** How long a thread naps at a time, by the milliseconds since it last had work. After the last of them it sleeps. */
const NAPS = [
  // Between the steps of a run.
  { until: 2, milliseconds: 0.1 },
  // Between runs that follow each other, as of a camera's pictures.
  { until: 250, milliseconds: 1 },
  { until: 1000, milliseconds: 2 },
] as const;

/**
 * How long a thread naps that has had no work for `idle` milliseconds; undefined when it should sleep until it is woken.
 *
 * A thread that wakes by a timer does so on its own processor. One that another thread wakes may come to that one's
 * processor instead: in a virtual machine Linux takes a processor that sleeps for one that the host has taken away. Two
 * threads then hold each other up for several milliseconds, which is as long as a run of a small model.
 */
export function napAfter(idle: number): number | undefined {
  return NAPS.find(({ until }) => idle < until)?.milliseconds;
}
