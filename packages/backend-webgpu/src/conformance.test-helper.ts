import { type Exceptions, type SuitePart, type Tolerances, testBackend } from "@pt2/conformance";
import { afterAll, describe, it } from "vitest";
import { missingDevice, openTestDevice, type TestFeatures } from "./device.test-helper.ts";
import { webgpu } from "./index.ts";

/** What this backend refuses, and why it may. */
const UNSUPPORTED: Exceptions = {
  "aten::to.prim_dtype": "an overload of TorchScript, whose dtype is a bare int; torch.export does not write it",
};

/** Sums and products are in another order, contracted where the driver likes, and functions as exact as WGSL's. */
const TOLERANCE: Tolerances = { float32: { rtol: 1e-4, atol: 1e-5 } };

/** Declares some parts of the suite: on a device with all optional features, float64 narrowed; or with none, refused. */
export async function testConformance(parts: readonly SuitePart[], features: TestFeatures = "all"): Promise<void> {
  const name = features === "all" ? "webgpu" : "webgpu without optional features";
  if (missingDevice !== "") {
    it.skip(`${name}${missingDevice}`);
    return;
  }
  await testBackend(
    name,
    async () => webgpu({ device: await openTestDevice(features), narrowFloat64: features === "all" }),
    {
      runner: { describe, it, afterAll },
      unsupported: UNSUPPORTED,
      tolerance: TOLERANCE,
      parts,
    },
  );
}
