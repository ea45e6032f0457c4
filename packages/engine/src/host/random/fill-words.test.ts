import { CpuGenerator } from "@pt2/backend";
import { expect, test } from "vitest";
import { fillWords } from "./fill-words.ts";

test("arrays are filled with the numbers that a generator draws one by one", () => {
  const [one, many] = [new CpuGenerator(7), new CpuGenerator(7)];
  for (const count of [0, 1, 623, 624, 625, 3, 2000, 1248]) {
    const words = new Uint32Array(count);
    fillWords(many, words);
    expect([...words]).toEqual(Array.from({ length: count }, () => one.random()));
  }
});
