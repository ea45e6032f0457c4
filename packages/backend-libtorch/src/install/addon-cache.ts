import { randomUUID } from "node:crypto";
import { access, copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { AddonSources } from "./addon-sources.ts";
import { ADDON_FILE } from "./compile.ts";
import { cacheFolder, type Environment } from "./environment.ts";
import type { Libtorch } from "./libtorch.ts";
import { isWhole, type ModuleRecord, recordOf } from "./whole-module.ts";

/** The file beside a module that describes it. */
const FACTS = "build.json";
const KEPT_BUILDS = 3;
/** A build that is this old and not among the newest is not in use by a process that is about to load it. */
const OLD_MS = 3600_000;

/** Returns the folder of compiled modules and of the folders in which they are compiled. */
export function addonFolder(env: Environment): string {
  return join(cacheFolder(env), "addon");
}

/** Returns whether any module was compiled here. */
export async function hasBuilds(env: Environment): Promise<boolean> {
  return (await readdir(addonFolder(env)).catch((): string[] => [])).some((name) => /^\d/.test(name));
}

/** Returns the path of the module of some sources, whether it is there or not. One with CUDA has another path. */
export function addonFile({ key }: AddonSources, libtorch: Libtorch, env: Environment, cuda: boolean): string {
  return join(addonFolder(env), `${prefixOf(libtorch)}${key}${cuda ? "-cuda" : ""}`, ADDON_FILE);
}

/** Finds the module of some sources that is there, and whole: with CUDA, or else without where that is enough. */
export async function presentAddon(
  sources: AddonSources,
  libtorch: Libtorch,
  env: Environment,
  needsCuda = false,
): Promise<string | undefined> {
  for (const cuda of needsCuda ? [true] : [true, false]) {
    const file = await presentModule(addonFile(sources, libtorch, env, cuda));
    if (file !== undefined) return file;
  }
  return undefined;
}

/** Returns the path of a published module if it is there, and whole. */
export async function presentModule(file: string): Promise<string | undefined> {
  if (!(await exists(file))) return undefined;
  if (await isWhole(file, await factsOf(file))) return file;
  // A folder can be published again only where there is none.
  await rm(dirname(file), { recursive: true, force: true });
  return undefined;
}

async function factsOf(file: string): Promise<Partial<ModuleRecord>> {
  const text = await readFile(join(dirname(file), FACTS), "utf8").catch(() => "{}");
  try {
    return JSON.parse(text) as Partial<ModuleRecord>;
  } catch {
    return {};
  }
}

/** Publishes a module: its folder appears complete or not at all. */
export async function publishModule(
  made: string,
  file: string,
  facts: Readonly<Record<string, string>>,
): Promise<void> {
  const folder = dirname(file);
  const draft = `${folder}.${randomUUID()}`;
  await mkdir(draft, { recursive: true });
  const copy = join(draft, basename(file));
  await copyFile(made, copy);
  const record = await recordOf(copy);
  await writeFile(join(draft, FACTS), `${JSON.stringify({ ...facts, ...record })}\n`);
  await rename(draft, folder).catch(async (problem: unknown) => {
    await rm(draft, { recursive: true, force: true });
    if (!(await exists(file))) throw problem;
  });
}

/** Removes builds of the same version that cannot be used any more. */
export async function removeOldAddons(env: Environment, libtorch: Libtorch, current: string): Promise<void> {
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
    if (age > OLD_MS && folder !== dirname(current)) await rm(folder, { recursive: true, force: true });
  }
}

function prefixOf({ version }: Libtorch): string {
  return `${version}-`;
}

async function exists(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  );
}
