import type { CpuGenerator } from "@pt2/backend";

/** Shuffles the integers below `count` (Fisher and Yates). */
export function permutation(random: CpuGenerator, count: number): Float64Array {
  const order = Float64Array.from({ length: count }, (_, i) => i);
  for (let i = 0; i < count - 1; i++) {
    const other = i + (random.random() % (count - i));
    const moved = order[i]!;
    order[i] = order[other]!;
    order[other] = moved;
  }
  return order;
}
