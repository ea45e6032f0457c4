import type { WebgpuBackend } from "./backend.ts";
import { requestDevice } from "./request-device.ts";

/** Options of `webgpu`. */
export interface WebgpuOptions {
  /** A device to compute on, which stays yours. Default: one is asked for, and goes away with the backend. */
  readonly device?: GPUDevice;
  /**
   * The adapter to ask for a device, or what asks for one, which is also asked after the device was lost (an adapter
   * gives one device only). Default: that of `navigator.gpu`.
   */
  readonly adapter?: GPUAdapter | (() => Promise<GPUAdapter | null>);
  /** Which of several GPUs, when the adapter is asked for. @default "high-performance" */
  readonly powerPreference?: GPUPowerPreference;
  /** `exact` forbids fusion and reordering that change bits. @default "fast" */
  readonly precision?: "exact" | "fast";
  /**
   * `host`: outputs are read when a run ends. `device`: they stay in GPU buffers until they are read, and are to be
   * disposed. @default "host"
   */
  readonly outputs?: "host" | "device";
  /** Allows float64 tensors to be held and computed as float32, and complex128 as complex64. @default false */
  readonly narrowFloat64?: boolean;
}

/** The backend on a GPU. Rejects with `webgpu.no-adapter` where there is none. */
export async function webgpu(options: WebgpuOptions = {}): Promise<WebgpuBackend> {
  const { precision = "fast", outputs = "host", narrowFloat64 = false } = options;
  // What computes comes while the device is asked for: a page that finds no GPU does not need it.
  const [gpu, { createBackend }] = await Promise.all([
    options.device ?? requestDevice(options),
    import("./create-backend.ts"),
  ]);
  const ownsDevice = options.device === undefined;
  const renewable = ownsDevice && (options.adapter === undefined || typeof options.adapter === "function");
  const renew = renewable ? () => requestDevice(options) : null;
  return createBackend(gpu, renew, { precision, outputs, narrowFloat64, ownsDevice });
}

export type { WebgpuBackend } from "./backend.ts";
export type { DeviceTensor } from "./engine/device-tensor.ts";
export type { KernelCall, PlanContext, WebgpuKernel } from "./engine/kernel.ts";
export type { TensorView } from "./engine/tensor-view.ts";
export type { ImageOptions } from "./image/image-options.ts";
export type { ImageSource } from "./image/image-source.ts";
export { WEBGPU_ERRORS, type WebgpuErrorCode } from "./webgpu-errors.ts";
