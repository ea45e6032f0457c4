import { existsSync, readdirSync } from "node:fs";
import { cpus } from "node:os";
import { describe, expect, test } from "vitest";
import { processorOf, threadNumber } from "./processors-node.ts";

describe.skipIf(!existsSync("/proc/thread-self"))("on Linux, which has /proc", () => {
  test("a thread knows its number, and its processor is one of the machine's", () => {
    expect(readdirSync("/proc/self/task").map(Number)).toContain(threadNumber());
    for (const thread of [undefined, threadNumber()]) {
      expect(processorOf(thread)).toBeGreaterThanOrEqual(0);
      expect(processorOf(thread)).toBeLessThan(Math.max(64, cpus().length));
    }
  });
});

test("the processor of a thread that is not there cannot be told", () => {
  expect(processorOf(2 ** 31 - 1)).toBeNaN();
});
