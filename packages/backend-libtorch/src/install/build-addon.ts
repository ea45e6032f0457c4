import { createHash, randomUUID } from "node:crypto";
import { access, copyFile, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Pt2Error } from "@pt2/format";
import { type AddonSources, packagedSources, readSources } from "./addon-sources.ts";
import { ADDON_FILE, type BuildProgress, compile } from "./compile.ts";
import { cudaHeaders } from "./cuda-headers.ts";
import { cacheFolder, type Environment } from "./environment.ts";
import { type FindOptions, searchLibtorch } from "./find-libtorch.ts";
import { installError, numbered } from "./install-errors.ts";
import type { Libtorch } from "./libtorch.ts";
import { withLock } from "./lock.ts";
import { compilerAdvice, findToolchain, nodeHeaders, type Toolchain } from "./toolchain.ts";

/** Options of {@link buildAddon}. */
export interface BuildOptions {
  /** @default process.env */
  readonly env?: Environment;
  /** Sources to compile. @default those of this package */
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

const LAST_LINES = 30;
const KEPT_BUILDS = 3;
/** A build that is this old and not among the newest is not in use by a process that is about to load it. */
const OLD_MS = 3600_000;
const ATTEMPTS = 3;

/**
 * The native module for the libtorch that is found here, if it is compiled already; undefined where {@link buildAddon}
 * would compile. Looks for no libtorch where nothing was ever compiled.
 */
export async function findBuiltAddon(options: FindOptions & BuildOptions = {}): Promise<AddonBuild | undefined> {
  const { env = process.env, nativeFolder = packagedSources() } = options;
  const builds = await readdir(addonFolder(env)).catch((): string[] => []);
  if (!builds.some((name) => /^\d/.test(name))) return undefined;
  const { libtorch } = await searchLibtorch(options);
  if (libtorch === undefined) return undefined;
  const file = fileOf(await readSources(nativeFolder, libtorch, env), libtorch, env);
  return (await exists(file)) ? { file, libtorch, fresh: false } : undefined;
}

/** Compiles the native module for a libtorch, once: later calls, of any process, find it in the cache folder. */
export async function buildAddon(libtorch: Libtorch, options: BuildOptions = {}): Promise<AddonBuild> {
  const { env = process.env, nativeFolder = packagedSources(), onProgress = () => {} } = options;
  if (process.platform === "win32") throw noWindows();
  const read = (): Promise<AddonSources> => readSources(nativeFolder, libtorch, env);
  const present = fileOf(await read(), libtorch, env);
  if (await exists(present)) return { file: present, libtorch, fresh: false };
  // Before waiting for a lock: who lacks a compiler should hear of it at once.
  const toolchain = await findToolchain(env);
  const workFolder = join(addonFolder(env), `work-${workKey(libtorch, nativeFolder, env)}`);
  const onWait = (): void => onProgress({ stage: "wait", done: 0, total: 1, line: "another process is building" });
  return await withLock(
    `${workFolder}.lock`,
    async () => {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const sources = await read();
        const file = fileOf(sources, libtorch, env);
        if (await exists(file)) return { file, libtorch, fresh: false };
        await mkdir(workFolder, { recursive: true });
        const headers = { nodeHeaders: nodeHeaders(), cudaHeaders: await cudaHeaders(libtorch, env) };
        const outcome = await compile({ sources, libtorch, toolchain, ...headers, workFolder, env, onProgress });
        if (outcome.code !== 0) throw buildFailed(outcome.lines, toolchain, libtorch);
        // Somebody who edits the sources meanwhile gets a build of what they are now.
        if ((await read()).key !== sources.key) continue;
        await publish(join(workFolder, ADDON_FILE), file, toolchain);
        // Objects speed up the next build after an edit; sources below node_modules are never edited.
        if (/[\\/]node_modules[\\/]/.test(nativeFolder)) await rm(workFolder, { recursive: true, force: true });
        await removeOld(env, libtorch, file);
        return { file, libtorch, fresh: true };
      }
      throw buildFailed(["the sources changed while they were compiled"], toolchain, libtorch);
    },
    { onWait },
  );
}

function addonFolder(env: Environment): string {
  return join(cacheFolder(env), "addon");
}

function fileOf({ key }: AddonSources, libtorch: Libtorch, env: Environment): string {
  return join(addonFolder(env), `${prefixOf(libtorch)}${key}`, ADDON_FILE);
}

function prefixOf({ version }: Libtorch): string {
  return `${version}-`;
}

function workKey({ path }: Libtorch, nativeFolder: string, { CXX, CXXFLAGS }: Environment): string {
  return createHash("sha256").update([path, nativeFolder, CXX, CXXFLAGS].join("\0")).digest("hex").slice(0, 16);
}

/** The folder appears complete or not at all. */
async function publish(made: string, file: string, toolchain: Toolchain): Promise<void> {
  const folder = join(file, "..");
  const draft = `${folder}.${randomUUID()}`;
  await mkdir(draft, { recursive: true });
  await copyFile(made, join(draft, ADDON_FILE));
  await writeFile(join(draft, "build.json"), `${JSON.stringify({ compiler: toolchain.compilerVersion })}\n`);
  await rename(draft, folder).catch(async (problem: unknown) => {
    await rm(draft, { recursive: true, force: true });
    if (!(await exists(file))) throw problem;
  });
}

async function removeOld(env: Environment, libtorch: Libtorch, current: string): Promise<void> {
  const root = addonFolder(env);
  const names = (await readdir(root)).filter((name) => name.startsWith(prefixOf(libtorch)));
  const folders = await Promise.all(
    names.map(async (name) => {
      const folder = join(root, name);
      return { folder, age: Date.now() - (await stat(folder).catch(() => ({ mtimeMs: 0 }))).mtimeMs };
    }),
  );
  const old = folders.sort((a, b) => a.age - b.age).slice(KEPT_BUILDS);
  for (const { folder, age } of old) {
    if (age > OLD_MS && !current.startsWith(folder)) await rm(folder, { recursive: true, force: true });
  }
}

function buildFailed(lines: readonly string[], toolchain: Toolchain, libtorch: Libtorch): Pt2Error {
  const { compiler, compilerVersion, cmake } = toolchain;
  const first = lines.findIndex((line) => /\b(?:error|Error):?\s/.test(line));
  const last = first < 0 ? lines.slice(-LAST_LINES) : lines.slice(first, first + LAST_LINES);
  return installError("libtorch.build-failed", {
    what: `The native module could not be compiled for torch ${libtorch.version}\n${last.map((line) => `  | ${line}`).join("\n")}`,
    where: `${compiler} (${compilerVersion})${cmake === undefined ? ", without CMake" : `, ${cmake}`}`,
    advice: `see the compiler's lines above; a complete and recent compiler is needed:${compilerAdvice()}`,
    details: { lines, compiler, compilerVersion, libtorch },
  });
}

function noWindows(): Pt2Error {
  return installError("libtorch.platform", {
    what: "The native module is built on Linux and macOS, not on Windows",
    advice: numbered(["run it in WSL", "use @pt2/backend-wasm, which needs nothing"]),
  });
}

async function exists(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  );
}
