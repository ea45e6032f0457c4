import type { Backend } from "@pt2/backend";
import type { OpRegistry } from "@pt2/registry";
import { type Exceptions, reasonFor } from "../exceptions.ts";
import type { OpCase } from "../ops/case-types.ts";
import { beyondNarrowed } from "../ops/narrowed.ts";
import { runCase, type Tolerances } from "../ops/run-case.ts";
import { dtypesOf } from "../ops/test-ops.ts";
import type { TestRunner } from "../test-runner.ts";

/** The arguments of {@link testRandom}. */
export interface RandomTestSetup {
  readonly runner: TestRunner;
  readonly backend: () => Promise<Backend>;
  readonly registry: OpRegistry;
  readonly tolerance: Tolerances;
  readonly skip: Exceptions;
  readonly streams: readonly RandomStream[];
}

/** Calls that draw random numbers one after another, with what PyTorch drew on the CPU after the seed. */
export interface RandomStream {
  readonly name: string;
  readonly seed: string;
  readonly calls: readonly OpCase[];
}

/** Reads the streams that PyTorch drew. */
export async function loadStreams(): Promise<readonly RandomStream[]> {
  const { default: file } = await import("./streams.json", { with: { type: "json" } });
  return (file as unknown as { readonly streams: readonly RandomStream[] }).streams;
}

/** Defines the tests of random numbers: after a seed a backend draws what PyTorch draws, in the order of the calls. */
export function testRandom({ runner, backend, registry, tolerance, skip, streams }: RandomTestSetup): void {
  runner.describe("random", () => {
    for (const { name, seed, calls } of streams) {
      runner.it(name, async (context) => {
        const reason = reasonFor(skip, "random", name);
        if (reason !== undefined) return context.skip(reason);
        const made = await backend();
        if (made.manualSeed === undefined) return context.skip("the backend has no random numbers of its own");
        const { dtypes, narrowed = {} } = made.capabilities;
        const foreign = calls.flatMap(dtypesOf).find((dtype) => !dtypes.includes(dtype));
        if (foreign !== undefined) return context.skip(`the backend has no ${foreign}`);
        if (calls.some((call) => beyondNarrowed(call, narrowed) !== null)) {
          return context.skip("numbers that the backend's narrower dtype does not have");
        }
        made.manualSeed(BigInt(seed));
        const problems: string[] = [];
        for (const call of calls) {
          const place = `${call.op}${call.name === "" ? "" : ` (${call.name})`}`;
          await runCase(made, call, "inputs", registry, tolerance).catch((error: Error) =>
            problems.push(`${place}: ${error.message}`),
          );
        }
        if (problems.length > 0) throw new Error(problems.join("\n"));
      });
    }

    runner.it("the same seed gives the same numbers again, another seed does not", async (context) => {
      const made = await backend();
      if (made.manualSeed === undefined) return context.skip("the backend has no random numbers of its own");
      const call = streams.find(({ name }) => name === "dropout")!.calls[0]!;
      const run = async (seed: number): Promise<string | null> => {
        made.manualSeed?.(seed);
        return await runCase(made, call, "inputs", registry, tolerance).then(
          () => null,
          (error: Error) => error.message,
        );
      };
      const [first, other, again] = [await run(7), await run(8), await run(7)];
      if (first !== again) throw new Error(`the seed 7 gave other numbers the second time: ${again}`);
      if (first === other) throw new Error("the seeds 7 and 8 gave the same numbers");
    });
  });
}
