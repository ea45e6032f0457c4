import { realpath, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Pt2Error } from "@pt2/format";
import { requireOptions } from "@pt2/format/options";
import type { Addon } from "../addon.ts";
import { type BuildOptions, buildAddon } from "./build-addon.ts";
import type { Environment } from "./environment.ts";
import { ADDON_OPTIONS, type FindOptions, findLibtorch } from "./find-libtorch.ts";
import { installError, numbered } from "./install-errors.ts";
import type { Libtorch } from "./libtorch.ts";
import { loadedLibtorch } from "./loaded-libtorch.ts";
import { isCutShort } from "./whole-module.ts";

/** Options of {@link loadAddon}. */
export interface LoadOptions extends FindOptions, BuildOptions {}

/** The native module in this thread. */
export interface LoadedAddon {
  readonly addon: Addon;
  readonly libtorch: Libtorch;
  /** The path of the native module. */
  readonly file: string;
}

let current: LoadedAddon | undefined;
let queue: Promise<unknown> = Promise.resolve();

/**
 * Finds libtorch, compiles the native module for it unless that was done before, and loads it; once, and once more in
 * each worker thread that asks. `PT2_LIBTORCH_ADDON` names a module that was compiled by hand.
 */
export function loadAddon(options: LoadOptions = {}): Promise<LoadedAddon> {
  // Loads run one after another: two callers with different options must not both load a libtorch.
  const next = queue.then(() => load(options));
  queue = next.catch(() => undefined);
  return next;
}

async function load(options: LoadOptions): Promise<LoadedAddon> {
  requireOptions("loadAddon()", options, ADDON_OPTIONS, "backend.options");
  if (current !== undefined) {
    if (options.folder !== undefined) await refuseAnother(options.folder, join(current.libtorch.path, "lib"));
    return current;
  }
  const { env = process.env } = options;
  const libtorch = await findLibtorch(options);
  await refuseAnother(libtorch.path, await loadedLibtorch());
  const file = env.PT2_LIBTORCH_ADDON;
  if (file) await refuseCutShort(file);
  current = file ? { addon: open(file, libtorch, env), libtorch, file } : await loadBuilt(libtorch, options, env);
  return current;
}

async function loadBuilt(libtorch: Libtorch, options: BuildOptions, env: Environment): Promise<LoadedAddon> {
  const { file, fresh } = await buildAddon(libtorch, options);
  try {
    return { addon: open(file, libtorch, env), libtorch, file };
  } catch (problem) {
    // The system may have changed since an old build: another libstdc++, or other files at libtorch's path.
    if (fresh) throw problem;
    await rm(dirname(file), { recursive: true, force: true });
    const rebuilt = await buildAddon(libtorch, options);
    return { addon: open(rebuilt.file, libtorch, env), libtorch, file: rebuilt.file };
  }
}

function open(file: string, libtorch: Libtorch, env: Environment): Addon {
  const module = { exports: {} };
  try {
    withShortSpins(() => process.dlopen(module, file));
  } catch (cause) {
    throw loadFailed(file, libtorch, env, cause as Error);
  }
  return module.exports as Addon;
}

/**
 * How often threads of OpenMP look for work before they sleep: 0.2 to 0.5 ms, as processors differ. GNU's default is 30
 * times as often, which keeps a processor from the threads of this package's kernels, and busy after each run.
 */
const SPINS = "10000";

/**
 * Loads libtorch, and with it GNU's OpenMP, which reads its settings from the environment when it is loaded. What users
 * set has precedence. In a worker thread that has an environment of its own nothing changes.
 */
function withShortSpins(load: () => void): void {
  const isSet = ["OMP_WAIT_POLICY", "GOMP_SPINCOUNT"].some((name) => process.env[name] !== undefined);
  if (!isSet) process.env.GOMP_SPINCOUNT = SPINS;
  try {
    load();
  } finally {
    if (!isSet) delete process.env.GOMP_SPINCOUNT;
  }
}

/**
 * Refuses a file that is cut short, which would end the process instead of the load. The loader reports a missing file.
 */
async function refuseCutShort(file: string): Promise<void> {
  if (!(await isCutShort(file).catch(() => false))) return;
  throw installError("libtorch.load-failed", {
    what: "The file of the native module is incomplete",
    where: `PT2_LIBTORCH_ADDON: ${file}`,
    advice: "compile or copy it again; without PT2_LIBTORCH_ADDON one is compiled for the libtorch that is found",
    details: { file },
  });
}

/**
 * The loader finds libraries by name among those that are loaded already, so a second libtorch would mix with the
 * first.
 */
async function refuseAnother(wanted: string, loadedFrom: string | undefined): Promise<void> {
  if (loadedFrom === undefined) return;
  const [a, b] = await Promise.all([join(wanted, "lib"), loadedFrom].map((path) => realpath(path).catch(() => path)));
  if (a === b) return;
  throw installError("libtorch.two-libtorchs", {
    what: "This process has already loaded another libtorch, and a process can load only one",
    where: `loaded: ${loadedFrom}, asked for: ${join(wanted, "lib")}`,
    advice: "use the same libtorch everywhere (PT2_LIBTORCH selects it), or load the other one in another process",
    details: { loaded: loadedFrom, wanted },
  });
}

function loadFailed(file: string, libtorch: Libtorch, env: Environment, cause: Error): Pt2Error {
  const { message } = cause;
  const missing = /(\S+\.so[.\d]*|\S+\.dylib): cannot open shared object file|Library not loaded: (\S+)/.exec(message);
  const library = missing?.[1] ?? missing?.[2];
  return installError("libtorch.load-failed", {
    what: `The native module cannot be loaded: ${message}`,
    where: `${file}, with torch ${libtorch.version} in ${libtorch.path}`,
    advice: numbered([
      ...(library === undefined
        ? []
        : [`install what ${library} belongs to, or repair the torch that should bring it`]),
      ...(env.LD_LIBRARY_PATH ? ["unset LD_LIBRARY_PATH: it may name libraries of another PyTorch"] : []),
      ...(process.platform === "linux"
        ? ["on Alpine (musl): use an image with glibc, PyTorch is built for nothing else"]
        : []),
      "npx @pt2/cli libtorch install, and let PT2_LIBTORCH name what it installed",
    ]),
    details: { file, libtorch, library },
    cause,
  });
}
