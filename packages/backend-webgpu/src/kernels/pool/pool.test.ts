import { loadFamily, runCase } from "@pt2/conformance";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { describe, test } from "vitest";
import { describeWithDevice } from "../../device.test-helper.ts";
import { VARIANTS, type VariantName, variantBackend } from "../../variants.test-helper.ts";

const registry = createRegistry({ sets: [aten] });
const { cases } = await loadFamily("pool");
const means = cases.filter(
  ({ op, tensors }) => op.includes("adaptive_avg") && tensors.every(({ dtype }) => dtype === "float32"),
);

await describeWithDevice("a mean over windows of a given number", () => {
  describe.each(Object.keys(VARIANTS) as VariantName[])("%s", (variant) => {
    test.each(means.map((each) => [`${each.op}: ${each.name}`, each] as const))("%s", async (_, each) => {
      await runCase(await variantBackend(variant), each, "inputs", registry, {});
    });
  });
});
