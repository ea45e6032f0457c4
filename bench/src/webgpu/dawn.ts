import { create, globals } from "webgpu";

/** Dawn for all runtimes that take WebGPU from the page: one instance, which lives as long as the process. */
export const gpu: GPU = create([]);

/** Makes Node appear to jax-js and tfjs as a page with WebGPU. */
export function installWebgpu(): void {
  Object.assign(globalThis, globals);
  Object.defineProperty(globalThis, "navigator", { value: { gpu, userAgent: "node" }, configurable: true });
}

/** Describes the adapter in a line. */
export async function adapterLine(): Promise<string> {
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  if (adapter === null)
    throw new Error("There is no WebGPU adapter: install a Vulkan driver (mesa-vulkan-drivers has a software one)");
  const { description, vendor, architecture, device } = adapter.info;
  const { subgroupMinSize, subgroupMaxSize } = adapter.info;
  const names = [vendor, architecture, device].filter((part) => part !== "").join(" ");
  return `${description || names} (${names}), subgroups of ${subgroupMinSize} to ${subgroupMaxSize}`;
}
