import { type BackendSettings, WebgpuBackend } from "./backend.ts";
import { deviceOf } from "./engine/device.ts";
import { KERNELS } from "./kernels/index.ts";

/** The backend over a device, with its own kernels. */
export function createBackend(gpu: GPUDevice, settings: Omit<BackendSettings, "device" | "kernels">): WebgpuBackend {
  return new WebgpuBackend({ ...settings, device: deviceOf(gpu), kernels: KERNELS });
}
