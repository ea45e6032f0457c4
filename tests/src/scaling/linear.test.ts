// A load takes work in proportion to its program. Work is how often each block of the packages' sources runs, which is
// the same on every machine; `pnpm scaling` measures time.
import { Session } from "node:inspector/promises";
import { setFlagsFromString } from "node:v8";
import { expect, test } from "vitest";

// A function that the compiler has inlined would not be counted.
setFlagsFromString("--no-opt");
setFlagsFromString("--no-maglev");
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
// Blocks are counted in modules that are loaded after this.
const { load, tensor } = await import("@pt2/runtime/node");
const { wasm } = await import("@pt2/backend-wasm/node");
const { ELEMENTS, GROWING } = await import("./programs.ts");

const SMALL = 250;
const LARGE = 4 * SMALL;
/** Sorting takes a logarithmic factor more, 4.9 times as much in all; quadratic work takes 16 times as much. */
const MOST = 6;
/** Work that starts at some size, or is done a few times for each node of the larger program alone. */
const FEW = 4 * LARGE;

/** How often the blocks of a function have run, by their positions; the first is the function itself. */
type Blocks = ReadonlyMap<number, number>;

/**
 * The arena searches the lowest free address among all buffers whose lifetimes overlap, which is quadratic where
 * thousands of them overlap and shapes differ; it skips 256 at a time.
 */
const NOT_LINEAR = /^engine\/src\/arena\/(?:address-blocks|lifetime-index)\.ts /;

/** Returns the functions of the packages that have run since the last call. */
async function functionsRun(): Promise<ReadonlyMap<string, Blocks>> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const found = new Map<string, Blocks>();
  for (const { url, functions } of result) {
    const source = /\/packages\/(.*\/src\/.*\.ts)/.exec(url)?.[1];
    if (source === undefined) continue;
    for (const { functionName, ranges } of functions) {
      const name = `${source} ${functionName}() at ${ranges[0]!.startOffset}`;
      found.set(name, new Map(ranges.map(({ startOffset, count }) => [startOffset, count])));
    }
  }
  return found;
}

/**
 * Lists blocks that ran more often than in proportion. A block that runs as often as its function is not listed by
 * itself.
 */
function excessive(small: ReadonlyMap<string, Blocks>, large: ReadonlyMap<string, Blocks>): readonly string[] {
  return [...large].flatMap(([name, blocks]) => {
    if (NOT_LINEAR.test(name)) return [];
    const known = small.get(name) ?? new Map<number, number>();
    const [whole = 0] = known.values();
    return [...blocks].flatMap(([place, count]) => {
      const before = known.get(place) ?? whole;
      return count <= MOST * before + FEW ? [] : [`${name}, block at ${place}: ${before} → ${count}`];
    });
  });
}

for (const worker of [false, true]) {
  test.each(GROWING)(`wasm, worker: ${worker}, $name: a load and a call are linear`, async ({ archive, inputs }) => {
    const backend = wasm({ worker });
    const measure = async (size: number): Promise<ReadonlyMap<string, Blocks>> => {
      const given = Array.from({ length: inputs(size) }, () =>
        tensor("float32", [ELEMENTS], new Float32Array(ELEMENTS)),
      );
      const bytes = await archive(size);
      await functionsRun();
      const model = await load(bytes, { backend });
      await model.runFlat(given);
      const counts = await functionsRun();
      await model.dispose();
      return counts;
    };
    // The first measurement contains what is done once.
    await measure(1);
    const small = await measure(SMALL);
    const large = await measure(LARGE);
    await backend.dispose();
    const often = [...small.values()].filter((blocks) => Math.max(...blocks.values()) >= SMALL);
    expect(often.length, "hardly anything was counted").toBeGreaterThan(100);
    expect(excessive(small, large)).toEqual([]);
  });
}
