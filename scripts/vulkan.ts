import { existsSync, readdirSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findChromium } from "./chromium.ts";

/** Where Vulkan drivers announce themselves on Linux. */
export const DRIVER_FOLDERS: readonly string[] = [
  "/usr/share/vulkan/icd.d",
  "/usr/local/share/vulkan/icd.d",
  "/etc/vulkan/icd.d",
];

/** A Vulkan that computes on the CPU. */
export type SoftwareAdapter = "lavapipe" | "swiftshader";

/** Their files, by the name that `PT2_WEBGPU_ADAPTER` gives them. */
const SOFTWARE: Readonly<Record<SoftwareAdapter, RegExp>> = {
  lavapipe: /^lvp_icd.*\.json$/,
  swiftshader: /^vk_swiftshader_icd\.json$/,
};

/**
 * The environment in which WebGPU in Node computes the same on every machine: on lavapipe, where it is installed, even
 * beside a GPU. `PT2_WEBGPU_ADAPTER` asks for `swiftshader`, which comes with Chromium, or for the `system`'s own choice.
 * A choice made with the variables of the Vulkan loader stands.
 */
export function vulkanEnvironment(): Readonly<Record<string, string>> {
  const { PT2_WEBGPU_ADAPTER: wanted = "lavapipe", XDG_RUNTIME_DIR = tmpdir() } = process.env;
  if (wanted !== "system" && !isSoftware(wanted)) {
    throw new Error(`PT2_WEBGPU_ADAPTER is "${wanted}"; it may be ${Object.keys(SOFTWARE).join(", ")} or system`);
  }
  const chosen = process.env.VK_ICD_FILENAMES ?? process.env.VK_DRIVER_FILES;
  const driver = chosen ?? (wanted === "system" ? undefined : findSoftwareDriver(wanted));
  return {
    // Mesa insists on having one.
    XDG_RUNTIME_DIR,
    ...(driver === undefined ? {} : { VK_ICD_FILENAMES: driver, VK_DRIVER_FILES: driver }),
  };
}

/** The file that describes a driver; undefined where it is not installed. */
export function findSoftwareDriver(name: SoftwareAdapter): string | undefined {
  const chromium = findChromium();
  const besideChromium = chromium === undefined ? [] : [dirname(realpathSync(chromium)), "/usr/lib/chromium"];
  const folders = name === "swiftshader" ? besideChromium : DRIVER_FOLDERS;
  return folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((file) => ({ folder, file })))
    .filter(({ file }) => SOFTWARE[name].test(file))
    .map(({ folder, file }) => join(folder, file))[0];
}

function isSoftware(name: string): name is SoftwareAdapter {
  return Object.hasOwn(SOFTWARE, name);
}
