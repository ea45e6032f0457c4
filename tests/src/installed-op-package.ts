import { existsSync } from "node:fs";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { command } from "./installed-project.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SOURCE = join(ROOT, "examples/op-package");

/**
 * Builds and packs the op package of the examples outside this repository, as a third party does, and installs its tarball
 * into a project that has our packages. Returns the files of the tarball. `libtorch` is the folder of a libtorch to compile
 * its shared library against.
 */
export async function installOpPackage(project: string, libtorch: string | null): Promise<readonly string[]> {
  const own = join(project, "third-party");
  await mkdir(own);
  for (const name of ["assembly", "native", "src", "tsconfig.json"]) {
    await cp(join(SOURCE, name), join(own, name), { recursive: true });
  }
  // A third party names versions; its packages are those of the project here.
  const manifest = await readFile(join(SOURCE, "package.json"), "utf8");
  await writeFile(join(own, "package.json"), manifest.replaceAll('"workspace:*"', '"*"'));
  await symlink(join(project, "node_modules"), join(own, "node_modules"), "junction");
  await command(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc")], own);
  if (libtorch !== null) await command(process.execPath, ["native/build.mjs", libtorch], own);
  const packed = await command("npm", ["pack", "--json", "--pack-destination", project], own);
  const [{ filename, files }] = JSON.parse(packed) as [{ filename: string; files: { path: string }[] }];
  const quiet = ["--offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  await command("npm", ["install", ...quiet, `./${filename}`], project);
  // Where a project has WebGPU in Node it has this package, which no tarball brings.
  const dawn = join(ROOT, "packages/backend-webgpu/node_modules/webgpu");
  if (existsSync(dawn)) await symlink(dawn, join(project, "node_modules/webgpu"), "junction");
  return files.map(({ path }) => path);
}
