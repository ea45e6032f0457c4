import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { testedBackends } from "../backends.ts";
import { runSamples, type SampleResult } from "./op-samples.ts";
import { sampleNames } from "./sample-files.ts";

const FOLDER = fileURLToPath(new URL("../../fixtures/opinfo/samples/", import.meta.url));

// A selection; `run-op-samples.ts` runs as many as PyTorch has, and where they were recorded compares their bits.
for (const { name: tested, missing, create, precision } of await testedBackends()) {
  describe(`samples of PyTorch's op database give its outputs: ${tested}`, () => {
    if (missing !== null) return it.skip(`skipped: ${missing}`);
    it.each(sampleNames(FOLDER))("%s", async (name) => {
      const backend = await create();
      const results = await runSamples(FOLDER, name, { backend, precision });
      // A backend without complex tensors refuses programs that have them, and says so.
      const complex = backend.capabilities.dtypes.includes("complex64");
      const refused = ({ outcome, why }: SampleResult): boolean =>
        !complex && outcome === "unsupported" && /complex/.test(why);
      expect(results.filter((result) => result.outcome !== "passed" && !refused(result))).toEqual([]);
    });
  });
}
