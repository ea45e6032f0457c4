import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { cliError } from "./cli-errors.ts";

type Libtorch = typeof import("@pt2/backend-libtorch/node");
type Webgpu = typeof import("@pt2/backend-webgpu/node");

/** Imports `@pt2/backend-libtorch`. */
export async function libtorchPackage(): Promise<Libtorch> {
  return await importOptional("@pt2/backend-libtorch", () => import("@pt2/backend-libtorch/node"));
}

/** Imports `@pt2/backend-webgpu`. */
export async function webgpuPackage(): Promise<Webgpu> {
  return await importOptional("@pt2/backend-webgpu", () => import("@pt2/backend-webgpu/node"));
}

/**
 * Imports a package from where this program is installed, or else from the current folder: npx, and an installation for
 * the whole machine, know nothing of what a project has.
 */
export async function importOptional<Module>(
  name: string,
  own: () => Promise<Module>,
  {
    folder = process.cwd(),
    entry = `${name}/node`,
  }: {
    /** Where else it may be installed. @default the current folder */
    readonly folder?: string;
    /** The module of it that is imported from there. @default that for Node */
    readonly entry?: string;
  } = {},
): Promise<Module> {
  try {
    return await own();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes(`'${name}'`)) throw cause;
    const path = installedIn(folder, entry);
    if (path !== undefined) return (await import(pathToFileURL(path).href)) as Module;
    throw cliError("cli.backend", {
      what: `${name} is not installed, neither beside @pt2/cli nor in this folder`,
      advice: `npm install ${name}`,
      details: { package: name },
      cause,
    });
  }
}

/** Finds a module of a package that is installed in a folder, or in one above it. */
export function installedIn(folder: string, name: string): string | undefined {
  try {
    return createRequire(join(folder, "pt2.js")).resolve(name);
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") return undefined;
    throw problem;
  }
}
