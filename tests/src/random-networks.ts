import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Backend } from "@pt2/backend";
import { libtorch } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import type { LoadOptions } from "@pt2/runtime/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingLibtorch } from "./backends.ts";
import { missingPython, python } from "./python.ts";

/** The number of the first network. */
const FIRST = Number(process.env.PT2_RANDOM_FIRST ?? 0);

/**
 * The share of an element, and of what is usual in its tensor, that it may differ by. PyTorch's own results are up to a fifth of it
 * from those in float64, and differ in sums in another order.
 */
export const SHARE = 1e-4;

/** Where a network runs. */
export type Where = Pick<LoadOptions, "backend" | "precision">;

/** What a network gave. */
export interface Checked {
  /** What differs from PyTorch's results. */
  readonly problems: readonly string[];
  /** The bytes of its results. */
  readonly bytes: Uint8Array;
}

/** Networks that a script in `scripts/python` writes, by their numbers. */
export interface RandomNetworks {
  /** What they have of PyTorch's. */
  readonly what: string;
  readonly script: string;
  /** How many are made unless `PT2_RANDOM_NETWORKS` says so; more of them find more. */
  readonly count: number;
  /** Runs the network of a file, whose path is without `.pt2`. */
  check(path: string, where: Where): Promise<Checked>;
}

const noLibtorch = await missingLibtorch();

/** Returns the root of the mean square: what is usual for an element. */
export function usual(values: ArrayLike<number | bigint>): number {
  return Math.sqrt(Array.from(values, Number).reduce((sum, value) => sum + value * value, 0) / values.length);
}

/** Tests all networks on wasm and on libtorch, with several numbers of threads. */
export function testRandomNetworks({ what, script, count: given, check }: RandomNetworks): void {
  const count = Number(process.env.PT2_RANDOM_NETWORKS ?? given);
  describe.skipIf(python === undefined)(`networks of random layers${missingPython}`, () => {
    let folder = "";
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "pt2-random-"));
      const file = fileURLToPath(new URL(`../../scripts/python/${script}`, import.meta.url));
      const { stderr } = spawnSync(python!, ["-W", "ignore", file, folder, String(FIRST), String(FIRST + count)], {
        encoding: "utf8",
      });
      expect(names().length, stderr).toBeGreaterThan(count / 2);
    }, 600_000);
    afterAll(() => rm(folder, { recursive: true }));

    const names = (): readonly string[] =>
      readdirSync(folder).flatMap((file) => (file.endsWith(".pt2") ? [file.slice(0, -".pt2".length)] : []));
    const checkAll = async (
      backend: Backend,
      precision: "exact" | "fast",
      problems: string[],
    ): Promise<ReadonlyMap<string, Uint8Array>> => {
      const results = new Map<string, Uint8Array>();
      for (const name of names()) {
        const found = await check(join(folder, name), { backend, precision });
        problems.push(...found.problems.map((problem) => `${name}, ${precision}: ${problem}`));
        results.set(name, found.bytes);
      }
      return results;
    };

    it(`${what} on wasm, and the same bytes with one, two and five threads`, async () => {
      const problems: string[] = [];
      let alone: ReadonlyMap<string, Uint8Array> | null = null;
      for (const threads of [1, 2, 5]) {
        await using backend = wasm({ threads });
        const found: string[] = [];
        const results = await checkAll(backend, "fast", found);
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
      `${what} on libtorch${why}`,
      async () => {
        const problems: string[] = [];
        for (const threads of [1, 2]) {
          await using backend = await libtorch({ threads });
          for (const precision of ["fast", "exact"] as const) await checkAll(backend, precision, problems);
        }
        expect(problems).toEqual([]);
      },
      600_000,
    );
  });
}
