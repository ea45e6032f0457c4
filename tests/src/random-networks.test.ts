import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Backend } from "@pt2/backend";
import { libtorch } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import { load } from "@pt2/runtime/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingLibtorch } from "./backends.ts";
import { difference, type Leaf } from "./difference.ts";
import { readCalls } from "./fixture.ts";
import { missingPython, python } from "./python.ts";

const SCRIPT = fileURLToPath(new URL("../../scripts/python/random_networks.py", import.meta.url));
/** How many networks are made; more of them find more. */
const COUNT = Number(process.env.PT2_RANDOM_NETWORKS ?? 40);
/** The number of the first. */
const FIRST = Number(process.env.PT2_RANDOM_FIRST ?? 0);

const noLibtorch = await missingLibtorch();

/**
 * The share of an element, and of what is usual in its tensor, that it may differ by. PyTorch's own results are up to a fifth of it
 * from those in float64, and differ in sums in another order.
 */
const SHARE = 1e-4;

type Bytes = ReadonlyMap<string, Uint8Array>;

/** Compares the results of all networks with PyTorch's, adds to `problems` what differs, and returns the bytes of the results. */
async function runAll(folder: string, backend: Backend, problems: string[]): Promise<Bytes> {
  const results = new Map<string, Uint8Array>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".pt2"))) {
    const path = join(folder, file.slice(0, -".pt2".length));
    const [call] = await readCalls(path);
    const [expected] = call!.expected as readonly [Extract<Leaf, { readonly shape: unknown }>];
    const values = expected.data as Float32Array;
    const scale = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
    await using model = await load(`${path}.pt2`, { backend });
    for (let run = 0; run < 2; run++) {
      const [actual] = (await model.runFlat(call!.inputs)) as readonly [typeof expected];
      const problem = difference(actual, expected, { float32: { rtol: SHARE, atol: SHARE * scale } });
      if (problem !== null) problems.push(`${file}, run ${run}: ${problem}`);
      results.set(file, actual.bytes.slice());
    }
  }
  return results;
}

describe.skipIf(python === undefined)(`networks of random layers${missingPython}`, () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pt2-random-"));
    const { stderr } = spawnSync(python!, ["-W", "ignore", SCRIPT, folder, String(FIRST), String(FIRST + COUNT)], {
      encoding: "utf8",
    });
    expect(readdirSync(folder).filter((name) => name.endsWith(".pt2")).length, stderr).toBeGreaterThan(COUNT / 2);
  }, 600_000);
  afterAll(() => rm(folder, { recursive: true }));

  it("networks have PyTorch's results on wasm, and the same bytes with one, two and five threads", async () => {
    const problems: string[] = [];
    let alone: Bytes | null = null;
    for (const threads of [1, 2, 5]) {
      await using backend = wasm({ threads });
      const found: string[] = [];
      const results = await runAll(folder, backend, found);
      problems.push(...found.map((problem) => `${threads} threads, ${problem}`));
      alone ??= results;
      for (const [name, bytes] of results) {
        if (!Buffer.from(bytes).equals(Buffer.from(alone.get(name)!)))
          problems.push(`${name}: other bytes, ${threads} threads`);
      }
    }
    expect(problems).toEqual([]);
  }, 600_000);

  const why = noLibtorch === null ? "" : ` (skipped: ${noLibtorch})`;
  it.skipIf(noLibtorch !== null)(
    `networks have PyTorch's results on libtorch${why}`,
    async () => {
      const problems: string[] = [];
      for (const threads of [1, 2]) {
        await using backend = await libtorch({ threads });
        await runAll(folder, backend, problems);
      }
      expect(problems).toEqual([]);
    },
    600_000,
  );
});
