import { createHash } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { presentModule, publishModule } from "./addon-cache.ts";
import { identityOf } from "./addon-sources.ts";
import { buildFailed } from "./build-failed.ts";
import { compileUnits } from "./compile-units.ts";
import { cacheFolder, type Environment } from "./environment.ts";
import type { Libtorch } from "./libtorch.ts";
import { withLock } from "./lock.ts";
import type { Nvcc } from "./nvcc.ts";
import { findToolchain, type Toolchain } from "./toolchain.ts";

/** What a shared library of ops is compiled from. */
export interface LibrarySources {
  /** The absolute paths of the files to compile. */
  readonly sources: readonly string[];
  readonly flags?: readonly string[];
  /** What compiles the files, those in CUDA among them. @default the compiler of C++ */
  readonly cuda?: CudaTarget;
}

/** A compiler of CUDA, and the GPUs to compile for. */
export interface CudaTarget {
  readonly nvcc: Nvcc;
  /** The compute capabilities: `9.0`. */
  readonly capabilities: readonly string[];
}

const SOURCE_FILE = /\.(?:c|cc|cpp|cu|cuh|cxx|h|hh|hpp|hxx|inc)$/;

/**
 * Compiles a shared library of ops for a libtorch, and returns its path. It is compiled once: later calls, of any process,
 * find it in the cache folder, until the sources, a file beside them, or the libtorch is another one.
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
    const { flags, linkFlags, compiler } = commandsOf(given, libtorch, toolchain, env);
    const outcome = await compileUnits({
      toolchain: { compiler, jobs: toolchain.jobs },
      units,
      flags,
      linkFlags: ["-shared", ...objects, "-o", library, ...linkFlags],
      env,
      onProgress: () => {},
    });
    if (outcome.code !== 0) throw buildFailed("A library of ops", outcome.lines, toolchain, libtorch);
    await publishModule(library, file, { compiler: toolchain.compilerVersion });
    await rm(workFolder, { recursive: true, force: true });
    return file;
  });
}

/** What compiles and links a library, and with which flags. */
interface Commands {
  readonly compiler: string;
  readonly flags: readonly string[];
  readonly linkFlags: readonly string[];
}

function commandsOf(
  { flags = [], cuda }: LibrarySources,
  libtorch: Libtorch,
  { compiler }: Toolchain,
  env: Environment,
): Commands {
  const [include, lib] = [join(libtorch.path, "include"), join(libtorch.path, "lib")];
  const given = (env.CXXFLAGS ?? "").split(/\s+/).filter((flag) => flag !== "");
  const host = [...given, "-fPIC", "-fvisibility=hidden"];
  const common = [
    `-D_GLIBCXX_USE_CXX11_ABI=${libtorch.cxx11Abi ? 1 : 0}`,
    ...["-isystem", include, "-isystem", join(include, "torch/csrc/api/include")],
    ...["-std=c++20", "-O2", "-DNDEBUG"],
  ];
  if (cuda === undefined) {
    const linkFlags = [`-L${lib}`, `-Wl,-rpath,${lib}`, "-ltorch_cpu", "-lc10"];
    return { compiler, flags: [...host, ...common, ...flags], linkFlags };
  }
  // nvcc hands what it does not know to the compiler of C++, and links CUDA's runtime statically: another minor version
  // of CUDA than that of libtorch calls functions of its own.
  const target = [
    ...["-ccbin", compiler],
    ...cuda.capabilities.map((capability) => {
      const number = capability.replace(".", "");
      return `-gencode=arch=compute_${number},code=sm_${number}`;
    }),
  ];
  const ofCuda = ["-DUSE_CUDA", "--expt-relaxed-constexpr"];
  return {
    compiler: cuda.nvcc.compiler,
    flags: [...target, ...host.flatMap((flag) => ["-Xcompiler", flag]), ...common, ...ofCuda, ...flags],
    linkFlags: [...target, `-L${lib}`, "-Xlinker", `-rpath=${lib}`, "-ltorch_cuda", "-ltorch_cpu", "-lc10"],
  };
}

/** A library belongs to a key. What sources include is not known, so every file beside or below them counts. */
async function keyOf(
  { sources, flags = [], cuda }: LibrarySources,
  libtorch: Libtorch,
  env: Environment,
): Promise<string> {
  const hash = createHash("sha256");
  const add = (...parts: readonly (string | Uint8Array)[]): void => {
    for (const part of parts) hash.update(part).update("\0");
  };
  add(await identityOf(libtorch), process.platform, process.arch, env.CXX ?? "", env.CXXFLAGS ?? "", ...flags);
  if (cuda !== undefined) add("cuda", cuda.nvcc.release, ...cuda.capabilities);
  for (const source of sources) add(basename(source), await readFile(source));
  for (const folder of new Set(sources.map(dirname))) {
    const names = (await readdir(folder, { recursive: true })).filter((name) => SOURCE_FILE.test(name)).sort();
    for (const name of names) add(name, await readFile(join(folder, name)));
  }
  return hash.digest("hex").slice(0, 16);
}
