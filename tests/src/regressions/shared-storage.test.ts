import { readFileSync } from "node:fs";
import { Pt2Error } from "@pt2/format";
import { type HostTensor, load, tensor } from "@pt2/runtime/node";
import { describe, expect, it } from "vitest";
import { testedBackends } from "../backends.ts";
import { fixturePath } from "../fixture.ts";

/** PyTorch's results of two calls of each file, as scripts/python/shared_storage.py writes them. */
const EXPECTED: Readonly<Record<string, readonly (readonly (readonly number[])[])[]>> = JSON.parse(
  readFileSync(fixturePath("shared-storage/expected.json"), "utf8"),
);

for (const { name: tested, missing, create, precision } of await testedBackends()) {
  describe(`constants and buffers that shared memory when they were exported: ${tested}`, () => {
    if (missing !== null) return it.skip(`skipped: ${missing}`);
    it.each(Object.entries(EXPECTED))("%s", async (file, calls) => {
      const options = { backend: await create(), precision: precision ?? "fast" } as const;
      const loading = load(fixturePath(`shared-storage/${file}.pt2`), options);
      if (file === "buffers-that-overlap") {
        const problem = await loading.then(
          () => null,
          (error: unknown) => error,
        );
        expect(problem).toBeInstanceOf(Pt2Error);
        return expect(problem).toMatchObject({
          code: "graph.mutation",
          what: expect.stringMatching(/none of them contains all the others: `a`, `b`/),
        });
      }
      await using model = await loading;
      for (const expected of calls) {
        const results = await model.runFlat([tensor("float32", [2], Float32Array.of(1, 1))]);
        const given = await Promise.all(results.map(async (result) => [...(await (result as HostTensor).read())]));
        expect(given).toEqual(expected);
      }
    });
  });
}
