import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readSampleIndex, runSamples, sampleNames } from "./op-samples.ts";

const FOLDER = fileURLToPath(new URL("../../fixtures/opinfo/samples/", import.meta.url));

// A selection; `run-op-samples.ts` runs as many as PyTorch has.
describe("samples of PyTorch's op database give its outputs", () => {
  it.each(sampleNames(FOLDER))("%s", async (name) => {
    const results = await runSamples(FOLDER, name, await readSampleIndex(FOLDER, name));
    expect(results.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
  });
});
