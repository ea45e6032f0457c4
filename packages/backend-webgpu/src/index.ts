import { type OptionTypes, requireOptions } from "@pt2/format/options";
import type { WebgpuBackend } from "./backend.ts";
import { requestDevice } from "./request-device.ts";

/** Options of `webgpu`. */
export interface WebgpuOptions {
  /** The device to compute on, which stays yours. By default one is requested, and destroyed with the backend. */
  readonly device?: GPUDevice;
  /**
   * The adapter that gives a device, or a function that returns one, which is also called after the device was lost (an
   * adapter gives one device only). By default it is that of `navigator.gpu`.
   */
  readonly adapter?: GPUAdapter | (() => Promise<GPUAdapter | null>);
  /** Which of several GPUs to use, when the adapter is requested. @default "high-performance" */
  readonly powerPreference?: GPUPowerPreference;
  /**
   * Where outputs are. `host`: they are read when a run ends. `device`: they stay in GPU buffers until they are read,
   * and are to be disposed. @default "host"
   */
  readonly outputs?: "host" | "device";
  /** Allows float64 tensors to be held and computed as float32, and complex128 as complex64. @default false */
  readonly narrowFloat64?: boolean;
}

const OPTIONS: OptionTypes = {
  device: "object",
  adapter: "object | function",
  powerPreference: '"low-power" | "high-performance"',
  outputs: '"host" | "device"',
  narrowFloat64: "boolean",
};

/** Makes the backend on a GPU. Rejects with `webgpu.no-adapter` where there is none. */
export async function webgpu(options: WebgpuOptions = {}): Promise<WebgpuBackend> {
  requireOptions("webgpu()", options, OPTIONS, "backend.options");
  const { outputs = "host", narrowFloat64 = false } = options;
  // The engine loads while the device is requested: a page that finds no GPU does not need it.
  const [gpu, { createBackend }] = await Promise.all([
    options.device ?? requestDevice(options),
    import("./create-backend.ts"),
  ]);
  const ownsDevice = options.device === undefined;
  const renewable = ownsDevice && (options.adapter === undefined || typeof options.adapter === "function");
  const renew = renewable ? () => requestDevice(options) : null;
  return createBackend(gpu, renew, { outputs, narrowFloat64, ownsDevice });
}

export type { WebgpuBackend } from "./backend.ts";
export type { Adapter } from "./engine/adapter.ts";
export type { DeviceTensor } from "./engine/device-tensor.ts";
export {
  type KernelCall,
  type PlanContext,
  type TypedWebgpuKernel,
  type WebgpuKernel,
  webgpuKernel,
} from "./engine/kernel.ts";
export type { TensorView } from "./engine/tensor-view.ts";
export type { ImageOptions } from "./image/image-options.ts";
export type { ImageSource } from "./image/image-source.ts";
export type { Shader } from "./shader/shader.ts";
export { WEBGPU_ERRORS, type WebgpuErrorCode } from "./webgpu-errors.ts";
