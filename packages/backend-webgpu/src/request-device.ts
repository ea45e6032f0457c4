import type { Pt2Error } from "@pt2/format";
import { webgpuError } from "./webgpu-errors.ts";

const FEATURES = ["shader-f16", "subgroups", "timestamp-query"] as const;

/** Limits of which models need much; each is requested at the adapter's value. */
const LIMITS = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxStorageBuffersPerShaderStage",
  "maxComputeWorkgroupStorageSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY",
  "maxComputeWorkgroupSizeZ",
  "maxComputeWorkgroupsPerDimension",
] as const;

/** Requests a device with those features of the adapter that kernels use, and the limits that models need. */
export async function requestDevice(options: {
  readonly adapter?: GPUAdapter | (() => Promise<GPUAdapter | null>);
  readonly powerPreference?: GPUPowerPreference;
}): Promise<GPUDevice> {
  const { powerPreference = "high-performance" } = options;
  const gpu = (globalThis.navigator as Navigator | undefined)?.gpu;
  const given = typeof options.adapter === "function" ? await options.adapter() : options.adapter;
  const adapter = given ?? (await gpu?.requestAdapter({ powerPreference }));
  if (!adapter) throw noAdapter(gpu === undefined && options.adapter === undefined);
  const requiredFeatures = FEATURES.filter((feature) => adapter.features.has(feature));
  const requiredLimits = Object.fromEntries(LIMITS.map((limit) => [limit, adapter.limits[limit]]));
  return await adapter.requestDevice({ requiredFeatures, requiredLimits });
}

function noAdapter(withoutApi: boolean): Pt2Error {
  return webgpuError("webgpu.no-adapter", {
    what: withoutApi ? "There is no WebGPU here: navigator.gpu is undefined" : "WebGPU found no adapter",
    advice: withoutApi
      ? "In a browser: serve the page over https or from localhost, and use a browser with WebGPU. In Node: give an adapter or a device, from the npm package `webgpu` for example."
      : "Check that the browser may use the GPU and that its driver is installed; chrome://gpu tells. Or use the wasm backend.",
  });
}
