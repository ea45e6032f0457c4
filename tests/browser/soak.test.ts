import { expect, test } from "vitest";
import { describePage } from "./page.ts";
import type { Subject } from "./soak/main.ts";
import { type Reading, soakPage } from "./soak-readings.ts";
import { SOAK_APP } from "./soak-table.ts";

/** Growth that is none: code that is compiled late, caches of property accesses, in the page and in its worker. */
const NOISE = 512 * 1024;
/** And what a step may keep. A result that is held is 64 kB, a promise with its handlers a kilobyte. */
const PER_STEP = 512;
/** What leaks grows in every round; code that is compiled and memory that is collected late do so in some. */
const ROUNDS = 3;

const held = ({ heap, outside, workers }: Reading): number => heap + outside + workers;

/** The rest is left to `pnpm soak --page`. */
const SHORT: readonly (readonly [subject: Subject, activity: string, steps: number])[] = [
  ["wasm, worker", "forward", 100],
  ["wasm, worker", "abort", 40],
  ["wasm, worker", "load and dispose", 8],
  ["wasm, worker", "cache", 9],
  ["wasm, page", "forward", 100],
  ["webgpu", "forward", 60],
  ["webgpu", "abort", 40],
];

describePage("a page that runs for long", SOAK_APP, (ready) => {
  test.each(SHORT)("%s: what is held does not grow, %s", async (subject, activity, steps) => {
    const warmUp = Math.max(20, Math.ceil(steps / 4));
    const allowed = NOISE + PER_STEP * steps;
    const measure = () => soakPage(ready.page, [subject, activity], steps, { warmUp, before: false });
    let { middle, after } = await measure();
    for (let round = 1; round < ROUNDS && held(after) - held(middle) >= allowed; round++) {
      ({ middle, after } = await measure());
    }
    expect(held(after) - held(middle)).toBeLessThan(allowed);
    expect(after.reserved).toBeLessThanOrEqual(1.5 * middle.reserved);
    expect(after.buffers).toBeLessThan(middle.buffers + 16);
    expect(after.listeners).toBeLessThanOrEqual(middle.listeners + 4);
    expect(after.threads).toBe(middle.threads);
  });
});
