import { afterAll, describe, it } from "vitest";

/** Whether a device has the optional features of its adapter (`shader-f16`, `subgroups`, `timestamp-query`) or none. */
export type TestFeatures = "all" | "none";

const NEEDED = ["shader-f16", "subgroups", "timestamp-query"] as const satisfies readonly GPUFeatureName[];
const WITHOUT_ADAPTER = "no WebGPU adapter in Node; `pnpm run setup` says why";

/** One instance of Dawn for the process, which is never collected, since all it made would go with it. */
const gpu: GPU | null = await import("webgpu").then(
  ({ create, globals }) => {
    Object.assign(globalThis, globals);
    return create([]);
  },
  () => null,
);
const probe = await gpu?.requestAdapter();

/** Why tests that need a device are skipped here, to be appended to their names; empty where they run. */
export const missingDevice: string = probe ? "" : ` (skipped: ${WITHOUT_ADAPTER})`;

/** Returns the instance of Dawn, for tests of code that requests its own device. */
export function testGpu(): GPU {
  if (gpu === null || !probe) throw new Error(WITHOUT_ADAPTER);
  return gpu;
}

/**
 * Opens a device with the highest limits of its adapter. An adapter gives one device, so each call requests another
 * adapter. The caller destroys the device: a process with a device does not end by itself.
 */
export async function openTestDevice(features: TestFeatures = "all"): Promise<GPUDevice> {
  const adapter = await testGpu().requestAdapter();
  if (adapter === null) throw new Error(WITHOUT_ADAPTER);
  const device = await adapter.requestDevice({
    requiredFeatures: features === "all" ? NEEDED.filter((feature) => adapter.features.has(feature)) : [],
    requiredLimits: highestLimits(adapter.limits),
  });
  device.addEventListener("uncapturederror", ({ error }) => uncaptured.push(error.message));
  return device;
}

const uncaptured: string[] = [];
const shared = new Map<TestFeatures, Promise<GPUDevice>>();

/** Returns the device that the tests of a file share. */
export function testDevice(features: TestFeatures = "all"): Promise<GPUDevice> {
  let device = shared.get(features);
  if (device === undefined) {
    device = openTestDevice(features);
    shared.set(features, device);
  }
  return device;
}

/**
 * A `describe` whose tests share a device; without one they become one skipped test with the reason. Uncaptured errors
 * of WebGPU fail the file.
 */
export async function describeWithDevice(
  name: string,
  define: (device: GPUDevice) => void,
  features: TestFeatures = "all",
): Promise<void> {
  if (missingDevice !== "") {
    it.skip(`${name}${missingDevice}`);
    return;
  }
  const device = await testDevice(features);
  describe(name, () => define(device));
}

if (missingDevice === "") {
  afterAll(async () => {
    for (const device of await Promise.all(shared.values())) {
      await device.queue.onSubmittedWorkDone();
      device.destroy();
    }
    shared.clear();
    if (uncaptured.length > 0) throw new Error(`WebGPU reported: ${uncaptured.join("\n")}`);
  });
}

function highestLimits(limits: GPUSupportedLimits): Record<string, number> {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(limits)).filter((name) => name !== "constructor");
  return Object.fromEntries(names.map((name) => [name, limits[name as keyof GPUSupportedLimits] as number]));
}
