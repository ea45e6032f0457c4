import type { CpuGenerator } from "@pt2/backend";
import { remainder } from "./integers.ts";

/** Shuffles the integers below `count` (Fisher and Yates). */
export function permutation(random: CpuGenerator, count: number): Uint32Array {
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = i;
  for (let i = 0; i < count - 1; i++) {
    const other = i + remainder(random.random(), count - i);
    const moved = order[i]!;
    order[i] = order[other]!;
    order[other] = moved;
  }
  return order;
}
