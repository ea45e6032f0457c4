import { WebgpuBackend } from "./backend.ts";
import { testDevice } from "./device.test-helper.ts";
import { type Adapter, adapterOf } from "./engine/adapter.ts";
import { DeviceSource, deviceOf } from "./engine/device.ts";
import { kernelParts } from "./engine/kernels.ts";
import { KERNEL_PARTS } from "./kernels/kernels-on-demand.ts";

export type VariantName = "on a CPU with subgroups" | "on a CPU" | "on a GPU with subgroups" | "on a GPU";

/** What kernels see of the adapter, whatever it is: each variant chooses other kernels, or other texts of them. */
export const VARIANTS: Readonly<Record<VariantName, Partial<Adapter>>> = {
  "on a CPU with subgroups": { software: true },
  "on a CPU": { software: true, subgroups: false, subgroupSize: 0 },
  // The subgroups of a CPU are small, so that a workgroup has several.
  "on a GPU with subgroups": { software: false, subgroupSize: 0 },
  "on a GPU": { software: false, subgroups: false, subgroupSize: 0 },
};

/** Makes a backend on the device that the tests of a file share, whose kernels are those of a variant. */
export async function variantBackend(name: VariantName, changes: Partial<Adapter> = {}): Promise<WebgpuBackend> {
  return backendOn(await testDevice(), { ...VARIANTS[name], ...changes });
}

/** Makes a backend on a device whose adapter kernels see with changes. */
export function backendOn(gpu: GPUDevice, changes: Partial<Adapter>): WebgpuBackend {
  return new WebgpuBackend({
    devices: new DeviceSource(deviceOf(gpu, { ...adapterOf(gpu), ...changes }), null),
    kernels: kernelParts(KERNEL_PARTS),
    outputs: "host",
    narrowFloat64: false,
    ownsDevice: false,
  });
}
