import { expect, test } from "vitest";
import { inEvenBlocks } from "./row-blocks.ts";

test("even blocks cover everything once, and none is empty or larger than what has been asked for", () => {
  for (const size of [60, 84, 240]) {
    for (let total = 1; total < 4000; total++) {
      let covered = 0;
      inEvenBlocks(total, size, (start, count) => {
        if (start !== covered || count < 1 || count > size) throw new Error(`${count} of ${total} from ${start}`);
        covered += count;
      });
      expect(covered).toBe(total);
    }
  }
});
