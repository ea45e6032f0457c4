import { type SuitePart, type Tolerances, testBackend } from "@pt2/conformance";
import { afterAll, describe, it } from "vitest";
import { missingDevice, openTestDevice, type TestFeatures, testGpu } from "./device.test-helper.ts";
import { webgpu } from "./index.ts";
import { twiceKernel } from "./twice-kernel.test-helper.ts";
import { backendOn } from "./variants.test-helper.ts";

/** Sums and products are in another order and may be contracted by the driver, and functions are as exact as WGSL's. */
const TOLERANCE: Tolerances = { float32: { rtol: 1e-4, atol: 1e-5 } };

/**
 * The device that the suite runs on: with the optional features of its adapter, with none, or with the least that a GPU
 * has.
 */
type Setup = TestFeatures | "gpu";

const NAMES: Readonly<Record<Setup, string>> = {
  all: "webgpu",
  none: "webgpu without optional features",
  gpu: "webgpu with a GPU's kernels and default limits",
};

/** Declares some parts of the suite, with a share of the cases with other arguments. With all features float64 is narrowed, else refused. */
export async function testConformance(
  parts: readonly SuitePart[],
  setup: Setup = "all",
  share: readonly [part: number, parts: number] = [0, 1],
): Promise<void> {
  const name = NAMES[setup];
  if (missingDevice !== "") {
    it.skip(`${name}${missingDevice}`);
    return;
  }
  await testBackend(
    name,
    async () =>
      setup === "gpu"
        ? backendOn(await (await testGpu().requestAdapter())!.requestDevice(), { software: false })
        : webgpu({ device: await openTestDevice(setup), narrowFloat64: setup === "all" }),
    {
      runner: { describe, it, afterAll },
      tolerance: TOLERANCE,
      lowers: true,
      share,
      parts,
      kernel: twiceKernel,
    },
  );
}
