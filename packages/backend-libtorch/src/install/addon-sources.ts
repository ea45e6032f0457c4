import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Environment } from "./environment.ts";
import type { Libtorch } from "./libtorch.ts";

/** Returns the package's `native` folder, wherever a bundler has put this module. */
export function packagedSources(): string {
  return join(dirname(createRequire(import.meta.url).resolve("@pt2/backend-libtorch/package.json")), "native");
}

/** What one build of the native module is made from. */
export interface AddonSources {
  readonly folder: string;
  /** The files to compile, relative to the folder. */
  readonly units: readonly string[];
  /** A hash of all sources and headers, the build script, the libtorch, and settings of the compiler. */
  readonly key: string;
}

/** Reads the sources. A build belongs to a key: another libtorch, or a changed source, has another key. */
export async function readSources(folder: string, libtorch: Libtorch, env: Environment): Promise<AddonSources> {
  // The reads are synchronous: hundreds of small files take a few milliseconds, and ten times as long through the
  // thread pool.
  const entries = readdirSync(join(folder, "src"), { recursive: true, encoding: "utf8" });
  const files = entries
    .map((name) => `src/${name.replaceAll("\\", "/")}`)
    .filter((name) => /\.\w+$/.test(name))
    .sort();
  const hash = createHash("sha256");
  const add = (...parts: readonly (string | Uint8Array)[]): void => {
    for (const part of parts) hash.update(part).update("\0");
  };
  add(await identityOf(libtorch), process.platform, process.arch, env.CXX ?? "", env.CXXFLAGS ?? "");
  for (const file of ["CMakeLists.txt", ...files]) add(file, readFileSync(join(folder, file)));
  return { folder, units: files.filter((file) => file.endsWith(".cc")), key: hash.digest("hex").slice(0, 16) };
}

/**
 * The identity has sizes, because a libtorch at the same path may have been replaced; it has no times, since copying an
 * image changes them.
 */
export async function identityOf({ path, version, build, cxx11Abi }: Libtorch): Promise<string> {
  const sizes = await Promise.all(
    ["libtorch_cpu.so", "libtorch_cpu.dylib", "libc10.so", "libc10.dylib"].map((name) =>
      stat(join(path, "lib", name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return JSON.stringify([path, version, build, cxx11Abi, ...sizes]);
}
