import { Pt2Error } from "@pt2/format";
import { expect, it } from "vitest";
import type { NativeCapture } from "../addon.ts";
import { CapturedRuns } from "./captured-runs.ts";
import type { CompiledPlan } from "./compiled-plan.ts";

/** A plan whose recordings give the number of the recording. */
function recorded(fail?: string) {
  const made: NativeCapture[] = [];
  const ended = new Set<unknown>();
  const plan = {
    fail,
    async capture(): Promise<NativeCapture> {
      if (plan.fail !== undefined) throw new Pt2Error(plan.fail, { what: "it reads a number" });
      const index = BigInt(made.length);
      const one: NativeCapture = { run: async () => [index], dispose: () => void ended.add(one) };
      made.push(one);
      return one;
    },
  };
  return { runs: new CapturedRuns(plan as unknown as CompiledPlan), plan, made, ended };
}

it("records the second run of some inputs, and replays it", async () => {
  const { runs, made } = recorded();
  expect(runs.describe()).toBe("recorded when shapes come again");
  const results = [];
  for (const input of [1, 1, 2, 1, 2, 2]) results.push(await runs.run([input]));
  expect(results).toEqual([null, [0n], null, [0n], [1n], [1n]]);
  expect(made.length).toBe(2);
  expect(runs.describe()).toBe("recorded, sets of shapes: 2");
});

it("a run that overlaps with a replay is not one", async () => {
  const { runs } = recorded();
  await runs.run([1]);
  expect(await Promise.all([1, 2, 3].map(() => runs.run([1])))).toEqual([[0n], null, null]);
  expect(await runs.run([1])).toEqual([0n]);
});

it("keeps four, and does not record sizes over and over that change all the time", async () => {
  const { runs, made, ended } = recorded();
  const sizes = Array.from({ length: 20 }, (_, i) => i);
  for (let round = 0; round < 50; round++) for (const size of sizes) await runs.run([size]);
  expect(made.length).toBeLessThan(60);
  expect(ended.size).toBe(made.length - 4);
  runs.dispose();
  await Promise.resolve();
  expect(ended.size).toBe(made.length);
});

it("tries once where a program or the memory does not allow it, and passes on other failures", async () => {
  for (const code of ["libtorch.capture", "libtorch.out-of-memory"]) {
    const { runs } = recorded(code);
    for (let i = 0; i < 3; i++) expect(await runs.run([1])).toBeNull();
    expect(runs.describe()).toBe("not recorded: it reads a number");
  }
  const { runs, plan } = recorded("libtorch.op-failed");
  await runs.run([1]);
  await expect(runs.run([1])).rejects.toMatchObject({ code: "libtorch.op-failed" });
  plan.fail = undefined;
  expect(await runs.run([1])).toEqual([0n]);
});
