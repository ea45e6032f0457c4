import { wasm } from "@pt2/backend-wasm";
import { expect, test } from "vitest";
import { runDamaged } from "./damaged-programs.ts";

/** The number of programs of each file; the environment gives more, or others, to look for new findings. */
const ROUNDS = Number(process.env["PT2_FUZZ_ROUNDS"] ?? 12);
const FIRST = Number(process.env["PT2_FUZZ_FIRST"] ?? 0);
/** The growth of the process over all programs: garbage between collections, never what a program claims. */
const MEMORY = 1.5 * 2 ** 30;

test("damaged programs run or are refused with a code", async () => {
  const before = process.memoryUsage().rss;
  const { counts, findings } = await runDamaged({ backend: wasm({ worker: false }) }, { first: FIRST, rounds: ROUNDS });
  expect(findings).toEqual([]);
  // All layers must have refused something and many programs must have run, or the mutations are not worth it.
  for (const outcome of ["ran", "format", "graph", "registry", "backend"])
    expect(counts.get(outcome)).toBeGreaterThan(3);
  expect(process.memoryUsage().rss - before).toBeLessThan(MEMORY);
});
