import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Pt2Error } from "@pt2/format";
import { requireOptions } from "@pt2/format/options";
import { addonFile, addonFolder, hasBuilds, presentAddon, publishModule, removeOldAddons } from "./addon-cache.ts";
import { type AddonSources, packagedSources, readSources } from "./addon-sources.ts";
import { buildFailed } from "./build-failed.ts";
import { ADDON_FILE, compile } from "./compile.ts";
import type { BuildProgress } from "./compile-job.ts";
import { cudaHeaders } from "./cuda-headers.ts";
import type { Environment } from "./environment.ts";
import { ADDON_OPTIONS, type FindOptions, searchLibtorch } from "./find-libtorch.ts";
import { installError, numbered } from "./install-errors.ts";
import type { Libtorch } from "./libtorch.ts";
import { withLock } from "./lock.ts";
import { findToolchain, nodeHeaders } from "./toolchain.ts";

/** Options of {@link buildAddon}. */
export interface BuildOptions {
  /** @default process.env */
  readonly env?: Environment;
  /** The folder of the sources. @default those of this package */
  readonly nativeFolder?: string;
  readonly onProgress?: ((progress: BuildProgress) => void) | undefined;
}

/** A compiled native module. */
export interface AddonBuild {
  readonly file: string;
  readonly libtorch: Libtorch;
  /** Whether it was compiled just now. */
  readonly fresh: boolean;
}

const NAME = "The native module";
const ATTEMPTS = 3;
/** The file in the folder of objects that has the key of sources while they are compiled. */
const UNDER_WAY = "under-way";

/**
 * Finds the native module for the libtorch of this machine, if it is compiled already; undefined where {@link
 * buildAddon}
 * would compile. It looks for no libtorch where no module was ever compiled.
 */
export async function findBuiltAddon(options: FindOptions & BuildOptions = {}): Promise<AddonBuild | undefined> {
  requireOptions("findBuiltAddon()", options, ADDON_OPTIONS, "backend.options");
  const { env = process.env, nativeFolder = packagedSources() } = options;
  const own = env.PT2_LIBTORCH_ADDON;
  const libtorch = own || (await hasBuilds(env)) ? (await searchLibtorch(options)).libtorch : undefined;
  if (libtorch === undefined) return undefined;
  if (own) return { file: own, libtorch, fresh: false };
  const file = await presentAddon(await readSources(nativeFolder, libtorch, env), libtorch, env);
  return file === undefined ? undefined : { file, libtorch, fresh: false };
}

/** Compiles the native module for a libtorch, once: later calls, of any process, find it in the cache folder. */
export async function buildAddon(libtorch: Libtorch, options: BuildOptions = {}): Promise<AddonBuild> {
  requireOptions("buildAddon()", options, ADDON_OPTIONS, "backend.options");
  const { env = process.env, nativeFolder = packagedSources(), onProgress = () => {} } = options;
  if (env.PT2_LIBTORCH_ADDON) return { file: env.PT2_LIBTORCH_ADDON, libtorch, fresh: false };
  if (process.platform === "win32") throw noWindows();
  const read = (): Promise<AddonSources> => readSources(nativeFolder, libtorch, env);
  const headers = { nodeHeaders: nodeHeaders(), cudaHeaders: await cudaHeaders(libtorch, env) };
  const cuda = headers.cudaHeaders.length > 0;
  const present = await presentAddon(await read(), libtorch, env, cuda);
  if (present !== undefined) return { file: present, libtorch, fresh: false };
  // The toolchain is found before waiting for a lock: a machine without a compiler fails at once.
  const toolchain = await findToolchain(env);
  const workFolder = join(addonFolder(env), `work-${workKey(libtorch, nativeFolder, env)}`);
  const onWait = (): void => onProgress({ stage: "wait", done: 0, total: 1, line: "another process is building" });
  const build = async (): Promise<AddonBuild> => {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const sources = await read();
      const made = await presentAddon(sources, libtorch, env, cuda);
      if (made !== undefined) return { file: made, libtorch, fresh: false };
      await begin(workFolder, sources);
      const outcome = await compile({ sources, libtorch, toolchain, ...headers, workFolder, env, onProgress });
      const unchanged = (await read()).key === sources.key;
      if (unchanged) await rm(join(workFolder, UNDER_WAY));
      if (outcome.code !== 0) throw buildFailed(NAME, outcome.lines, toolchain, libtorch);
      // Sources that were edited in the meantime are compiled again.
      if (!unchanged) continue;
      const file = addonFile(sources, libtorch, env, cuda);
      await publishModule(join(workFolder, ADDON_FILE), file, { compiler: toolchain.compilerVersion });
      // Objects make the next build after an edit faster; sources below node_modules are never edited.
      if (/[\\/]node_modules[\\/]/.test(nativeFolder)) await rm(workFolder, { recursive: true, force: true });
      await removeOldAddons(env, libtorch, file);
      return { file, libtorch, fresh: true };
    }
    throw buildFailed(NAME, ["the sources changed while they were compiled"], toolchain, libtorch);
  };
  return await withLock(`${workFolder}.lock`, build, { onWait });
}

/**
 * Prepares the folder of objects. Those of a build that other sources ended are no use: an object that was written after
 * a header was edited looks newer than it, and may have been compiled from what the header was before.
 */
async function begin(workFolder: string, { key }: AddonSources): Promise<void> {
  const underWay = join(workFolder, UNDER_WAY);
  if ((await readFile(underWay, "utf8").catch(() => key)) !== key) await rm(workFolder, { recursive: true });
  await mkdir(workFolder, { recursive: true });
  await writeFile(underWay, key);
}

function workKey({ path }: Libtorch, nativeFolder: string, { CXX, CXXFLAGS }: Environment): string {
  return createHash("sha256").update([path, nativeFolder, CXX, CXXFLAGS].join("\0")).digest("hex").slice(0, 16);
}

function noWindows(): Pt2Error {
  return installError("libtorch.platform", {
    what: "The native module is built on Linux and macOS, not on Windows",
    advice: numbered(["run it in WSL", "use @pt2/backend-wasm, which needs nothing"]),
  });
}
