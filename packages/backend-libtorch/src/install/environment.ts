import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the folder of downloads and compiled modules: `PT2_CACHE`, or the platform's folder for caches. */
export function cacheFolder(env: Environment = process.env): string {
  if (env.PT2_CACHE) return env.PT2_CACHE;
  if (process.platform === "win32") return join(env.LOCALAPPDATA ?? join(homedir(), "AppData/Local"), "pt2/cache");
  if (env.XDG_CACHE_HOME && isAbsolute(env.XDG_CACHE_HOME)) return join(env.XDG_CACHE_HOME, "pt2");
  return join(env.HOME || homedir(), process.platform === "darwin" ? "Library/Caches/pt2" : ".cache/pt2");
}

/** Returns the folder that `pt2 libtorch install` fills: one folder per version, with `torch` in it. */
export function installFolder(env: Environment = process.env): string {
  return join(cacheFolder(env), "libtorch");
}

/** Finds the first of some commands that the PATH has. A name with a slash is taken as a path. */
export async function findCommand(names: readonly string[], env: Environment): Promise<string | undefined> {
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const endings = process.platform === "win32" ? [".exe"] : [""];
  for (const name of names) {
    const candidates = /[\\/]/.test(name)
      ? [name]
      : folders.flatMap((folder) => endings.map((e) => join(folder, name + e)));
    for (const candidate of candidates) if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
