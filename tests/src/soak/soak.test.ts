import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { activitiesOf } from "./activities.ts";
import { patient } from "./activity.ts";
import { type Moment, soak } from "./soak.ts";
import { type Subject, subjects } from "./subjects.ts";

/**
 * Growth that is no leak: code that is compiled late, caches of property accesses, in this thread and in the worker.
 */
const NOISE = 256 * 1024;
/**
 * The bytes that a step may keep in addition. A result that is held is 64 kB, a promise with its handlers a kilobyte.
 */
const PER_STEP = 256;

/** A leak grows in every round; code that is compiled and memory that is collected late do so in some. */
const ROUNDS = 3;

const held = ({ heap, outside, workers }: Moment): number => heap + outside + workers;

/** `pnpm soak` runs the rest. */
const shortOf = (subject: Subject) =>
  activitiesOf(subject).flatMap((activity) => {
    const { short } = activity.steps;
    return short === undefined ? [] : [{ name: activity.name, activity, short }];
  });

for (const subject of await subjects()) {
  if (subject.missing !== null) {
    test.skip(`${subject.name} (skipped: ${subject.missing})`);
    continue;
  }
  describe(subject.name, () => {
    // A snapshot of a worker takes seconds, and its content is the same as without a worker.
    const activities = subject.name === "wasm, worker" ? shortOf(subject).slice(0, 1) : shortOf(subject);
    test.each(activities)("$name does not grow the memory that is held", async ({ activity, short }) => {
      // Caches of plans hold sixteen, and a run or load is at its fastest after some steps.
      const warmUp = Math.max(20, Math.ceil(short / 4));
      const allowed = NOISE + PER_STEP * short;
      const measure = () => soak(subject, activity, short, { warmUp, before: false });
      let { middle, after } = await measure();
      // Sockets of aborted downloads close when the system gets to it.
      const grew = (): boolean => held(after) - held(middle) >= allowed || after.descriptors > middle.descriptors;
      for (let round = 1; round < ROUNDS && grew(); round++) {
        ({ middle, after } = await measure());
      }
      expect(held(after) - held(middle)).toBeLessThan(allowed);
      expect(after.reserved).toBeLessThanOrEqual(1.5 * middle.reserved);
      expect(after.buffers.count).toBeLessThan(middle.buffers.count + 16);
      expect(after.descriptors).toBeLessThanOrEqual(middle.descriptors);
      expect(after.resources).toBeLessThanOrEqual(middle.resources + 2);
      expect(getEventListeners(patient, "abort")).toHaveLength(0);
    });
  });
}
