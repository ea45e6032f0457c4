import { WebgpuBackend } from "./backend.ts";
import { deviceOf } from "./engine/device.ts";
import { requestDevice } from "./request-device.ts";

/** Options of `webgpu`. */
export interface WebgpuOptions {
  /** A device to compute on, which stays yours. Default: one is asked for, and goes away with the backend. */
  readonly device?: GPUDevice;
  /** The adapter to ask for a device. Default: that of `navigator.gpu`. */
  readonly adapter?: GPUAdapter;
  /** Which of several GPUs, when the adapter is asked for. @default "high-performance" */
  readonly powerPreference?: GPUPowerPreference;
  /** `exact` forbids fusion and reordering that change bits. @default "fast" */
  readonly precision?: "exact" | "fast";
  /**
   * `host`: outputs are read when a run ends. `device`: they stay in GPU buffers until they are read, and are to be
   * disposed. @default "host"
   */
  readonly outputs?: "host" | "device";
  /** Allows float64 tensors to be held and computed as float32, which is all that GPUs have here. @default false */
  readonly narrowFloat64?: boolean;
}

/** The backend on a GPU. Rejects with `webgpu.no-adapter` where there is none. */
export async function webgpu(options: WebgpuOptions = {}): Promise<WebgpuBackend> {
  const { precision = "fast", outputs = "host", narrowFloat64 = false } = options;
  // Kernels come while the device is asked for; until somebody wants a GPU they are not downloaded.
  const [gpu, { KERNELS }] = await Promise.all([
    options.device ?? requestDevice(options),
    import("./kernels/index.ts"),
  ]);
  const ownsDevice = options.device === undefined;
  return new WebgpuBackend({ device: deviceOf(gpu), kernels: KERNELS, precision, outputs, narrowFloat64, ownsDevice });
}

export { WebgpuBackend } from "./backend.ts";
export { DeviceTensor } from "./engine/device-tensor.ts";
export type { KernelCall, PlanContext, WebgpuKernel } from "./engine/kernel.ts";
export type { Place } from "./engine/place.ts";
export { WEBGPU_ERRORS, type WebgpuErrorCode } from "./webgpu-errors.ts";
