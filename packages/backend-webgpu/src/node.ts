import type { WebgpuBackend } from "./backend.ts";
import { type WebgpuOptions, webgpu as webgpuOf } from "./index.ts";
import { webgpuError } from "./webgpu-errors.ts";

export type { WebgpuBackend, WebgpuOptions } from "./index.ts";

/**
 * Dawn as the npm package `webgpu` brings it. The instance is kept here because what it made goes away with it. The
 * process stays alive as long as a device does, so dispose the backend when you are done.
 */
let instance: Promise<GPU> | undefined;

/**
 * Makes the backend in Node, through the npm package `webgpu`, an optional peer, which runs on Vulkan, Metal or
 * Direct3D 12. With a `device` or an `adapter` of another provider it is the same as in a browser.
 */
export async function webgpu(options: WebgpuOptions = {}): Promise<WebgpuBackend> {
  if (options?.device !== undefined || options?.adapter !== undefined || options === null)
    return await webgpuOf(options);
  instance ??= dawn();
  const gpu = await instance;
  const { powerPreference = "high-performance" } = options;
  return await webgpuOf({ ...options, adapter: () => gpu.requestAdapter({ powerPreference }) });
}

async function dawn(): Promise<GPU> {
  try {
    const { create } = await import("webgpu");
    // Times of steps are as the device measures them, instead of rounded to 65 µs, since no foreign code measures here.
    return create(["disable-dawn-features=timestamp_quantization"]);
  } catch (cause) {
    throw webgpuError("webgpu.no-adapter", {
      what: `Node has no WebGPU of its own, and the npm package "webgpu" cannot be loaded: ${cause instanceof Error ? cause.message : cause}`,
      advice: 'Install it with "npm install webgpu", or give webgpu() an adapter or a device of another provider.',
      cause,
    });
  }
}
