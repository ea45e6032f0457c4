import { createHash } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { presentModule, publishModule } from "./addon-cache.ts";
import { identityOf } from "./addon-sources.ts";
import { buildFailed } from "./build-failed.ts";
import { compileUnits } from "./compile-units.ts";
import { cacheFolder, type Environment } from "./environment.ts";
import { commandsForCpu, commandsForGpus } from "./library-commands.ts";
import type { Libtorch } from "./libtorch.ts";
import { withLock } from "./lock.ts";
import { findNvcc } from "./nvcc.ts";
import { findToolchain } from "./toolchain.ts";

/** What a shared library of ops is compiled from. */
export interface LibrarySources {
  /** The absolute paths of the files to compile. */
  readonly sources: readonly string[];
  readonly flags?: readonly string[];
  /**
   * The compute capabilities of the GPUs, `9.0`, that kernels in CUDA are compiled for, by `nvcc`. @default none: the files
   * are in C++
   */
  readonly capabilities?: readonly string[];
}

const SOURCE_FILE = /\.(?:c|cc|cpp|cu|cuh|cxx|h|hh|hpp|hxx|inc)$/;

/**
 * Compiles a shared library of ops for a libtorch, and returns its path. It is compiled once: later calls, of any process,
 * find it in the cache folder, also without a compiler, until the sources, a file beside them, or the libtorch is another
 * one.
 */
export async function buildLibrary(
  given: LibrarySources,
  libtorch: Libtorch,
  env: Environment = process.env,
): Promise<string> {
  const folder = join(cacheFolder(env), "ops");
  const key = await keyOf(given, libtorch, env);
  const file = join(folder, `${libtorch.version}-${key}`, `ops.${process.platform === "darwin" ? "dylib" : "so"}`);
  const present = await presentModule(file);
  if (present !== undefined) return present;
  const toolchain = await findToolchain(env);
  const commands =
    given.capabilities === undefined
      ? commandsForCpu(given, libtorch, toolchain, env)
      : commandsForGpus(given, given.capabilities, await findNvcc(libtorch, env), libtorch, toolchain, env);
  const workFolder = join(folder, `work-${key}`);
  return await withLock(`${workFolder}.lock`, async () => {
    const made = await presentModule(file);
    if (made !== undefined) return made;
    const library = join(workFolder, basename(file));
    const units = given.sources.map((source, i) => ({
      name: basename(source),
      source,
      object: join(workFolder, `${i}.o`),
    }));
    const objects = units.map(({ object }) => object);
    const outcome = await compileUnits({
      toolchain: { compiler: commands.compiler, jobs: toolchain.jobs },
      units,
      flags: commands.flags,
      linkFlags: ["-shared", ...objects, "-o", library, ...commands.linkFlags],
      env,
      onProgress: () => {},
    });
    if (outcome.code !== 0) throw buildFailed("A library of ops", outcome.lines, toolchain, libtorch);
    await publishModule(library, file, { compiler: toolchain.compilerVersion });
    await rm(workFolder, { recursive: true, force: true });
    return file;
  });
}

/** A library belongs to a key. What sources include is not known, so every file beside or below them counts. */
async function keyOf(
  { sources, flags = [], capabilities }: LibrarySources,
  libtorch: Libtorch,
  env: Environment,
): Promise<string> {
  const hash = createHash("sha256");
  const add = (...parts: readonly (string | Uint8Array)[]): void => {
    for (const part of parts) hash.update(part).update("\0");
  };
  add(await identityOf(libtorch), process.platform, process.arch, env.CXX ?? "", env.CXXFLAGS ?? "", ...flags);
  if (capabilities !== undefined) add("cuda", ...capabilities);
  for (const source of sources) add(basename(source), await readFile(source));
  for (const folder of new Set(sources.map(dirname))) {
    const names = (await readdir(folder, { recursive: true })).filter((name) => SOURCE_FILE.test(name)).sort();
    for (const name of names) add(name, await readFile(join(folder, name)));
  }
  return hash.digest("hex").slice(0, 16);
}
