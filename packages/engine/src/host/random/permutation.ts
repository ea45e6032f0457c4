import type { CpuGenerator } from "@pt2/backend";
import { fillWords } from "./fill-words.ts";
import { remainder } from "./integers.ts";

/** Shuffles the integers below `count` (Fisher and Yates). */
export function permutation(random: CpuGenerator, count: number): Uint32Array {
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = i;
  const words = new Uint32Array(Math.max(0, count - 1));
  fillWords(random, words);
  for (let i = 0; i < words.length; i++) {
    const other = i + remainder(words[i]!, count - i);
    const moved = order[i]!;
    order[i] = order[other]!;
    order[other] = moved;
  }
  return order;
}
