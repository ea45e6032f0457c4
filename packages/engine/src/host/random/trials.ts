import type { CpuGenerator } from "@pt2/backend";

/** Draws 1 with probability `odds`, else 0. */
export function trials(random: CpuGenerator, count: number, odds: number): Uint8Array {
  const results = new Uint8Array(count);
  // A branch here would be foreseen wrongly for half of the numbers.
  for (let i = 0; i < count; i++) results[i] = Number(random.uniform() < odds);
  return results;
}
