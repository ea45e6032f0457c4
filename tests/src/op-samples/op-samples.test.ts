import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { testedBackends } from "../backends.ts";
import { runSamples } from "./op-samples.ts";
import { sampleNames } from "./sample-files.ts";

const FOLDER = fileURLToPath(new URL("../../fixtures/opinfo/samples/", import.meta.url));

// The samples are a selection; `run-op-samples.ts` runs all that PyTorch has, and compares their bits where they were
// recorded.
for (const { name: tested, missing, create, precision } of await testedBackends()) {
  describe(`samples of PyTorch's op database give its outputs: ${tested}`, () => {
    if (missing !== null) return it.skip(`skipped: ${missing}`);
    it.each(sampleNames(FOLDER))("%s", async (name) => {
      const backend = await create();
      const results = await runSamples(FOLDER, name, { backend, precision });
      expect(results.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
    });
  });
}
