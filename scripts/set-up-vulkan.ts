import { existsSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.ts";
import { DRIVER_FOLDERS, vulkanEnvironment } from "./vulkan.ts";

/** What WebGPU in Node computes with, or why it cannot. */
export type VulkanSetup = { readonly adapter: string } | { readonly missing: string };

const LOADERS = ["/usr/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"];
const REMEDY = "install libvulkan1 and mesa-vulkan-drivers (25 or later; for Debian 12 from bookworm-backports)";

/** Looks for an adapter of WebGPU in Node. Installs nothing: drivers are the system's. */
export async function setUpVulkan(): Promise<VulkanSetup> {
  const { code, output } = await run(process.execPath, ["--import", "tsx", "scripts/webgpu-adapter.ts"]);
  const line = output.split("\n").find((text) => text.startsWith("{"));
  if (line === undefined) return { missing: /Error: (.*)/.exec(output)?.[1] ?? `a driver ended the process (${code})` };
  const { name, features } = JSON.parse(line) as { readonly name?: string; readonly features?: readonly string[] };
  if (name !== undefined) return { adapter: [name, ...(features ?? [])].join(", ") };
  return { missing: process.platform === "linux" ? whyNoneOnLinux() : "this machine has no GPU that WebGPU can use" };
}

function whyNoneOnLinux(): string {
  if (!LOADERS.some((folder) => existsSync(join(folder, "libvulkan.so.1")))) return `no Vulkan loader: ${REMEDY}`;
  const driver = vulkanEnvironment().VK_ICD_FILENAMES;
  if (driver === undefined)
    return `no Vulkan driver that computes on the CPU in ${DRIVER_FOLDERS.join(", ")}: ${REMEDY}`;
  return `the Vulkan driver ${driver} lacks what WebGPU needs: ${REMEDY}`;
}
