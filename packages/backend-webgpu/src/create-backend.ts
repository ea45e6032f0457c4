import { type BackendSettings, WebgpuBackend } from "./backend.ts";
import { DeviceSource, deviceOf } from "./engine/device.ts";
import { kernelParts } from "./engine/kernels.ts";
import { KERNEL_PARTS } from "./kernels/kernels-on-demand.ts";

/** Makes the backend on a device, with its own kernels. `renew` requests another device when that one is lost. */
export function createBackend(
  gpu: GPUDevice,
  renew: (() => Promise<GPUDevice>) | null,
  settings: Omit<BackendSettings, "devices" | "kernels">,
): WebgpuBackend {
  const kernels = kernelParts(KERNEL_PARTS);
  return new WebgpuBackend({ ...settings, devices: new DeviceSource(deviceOf(gpu), renew), kernels });
}
