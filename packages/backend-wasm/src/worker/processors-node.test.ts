import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { cpus } from "node:os";
import { describe, expect, test } from "vitest";
import { newProcessorOf, threadNumber } from "./processors-node.ts";

describe.skipIf(!existsSync("/proc/thread-self"))("on Linux, which has /proc", () => {
  test("a thread knows its number, and its processor is one of the machine's each time", () => {
    expect(readdirSync("/proc/self/task").map(Number)).toContain(threadNumber());
    const processorOf = newProcessorOf();
    for (const thread of [undefined, threadNumber(), undefined, threadNumber()]) {
      expect(processorOf(thread)).toBeGreaterThanOrEqual(0);
      expect(processorOf(thread)).toBeLessThan(Math.max(64, cpus().length));
    }
  });

  test("one file is open for each thread that was asked about, and none for the number", () => {
    const open = (): number =>
      readdirSync("/proc/self/fd").filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).endsWith("/stat");
        } catch {
          return false;
        }
      }).length;
    const before = open();
    const processorOf = newProcessorOf();
    for (let i = 0; i < 10; i++) {
      threadNumber();
      processorOf();
      processorOf(threadNumber());
    }
    expect(open() - before).toBe(2);
  });
});

test("the processor of a thread that is not there cannot be told", () => {
  expect(newProcessorOf()(2 ** 31 - 1)).toBeNaN();
});
