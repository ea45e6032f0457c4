import { access, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "./environment.ts";
import type { Libtorch } from "./libtorch.ts";

/**
 * What libtorch's own CUDA headers include. A toolkit may have been installed without its libraries, and what pip installs
 * beside torch has the libraries but lacks `crt`: together they are complete.
 */
const PARTS = [
  ["cuda.h", "cuda_runtime_api.h", "crt/host_defines.h"],
  ["cusparse.h", "cublas_v2.h", "cusolverDn.h"],
] as const;

/**
 * Finds the include folders of CUDA for a CUDA build of libtorch, of the same major version; none where a part is
 * missing.
 */
export async function cudaHeaders(libtorch: Libtorch, env: Environment): Promise<readonly string[]> {
  if (libtorch.build !== "cuda") return [];
  const major = await cudaMajorOf(libtorch);
  const folders = await candidates(libtorch, major, env);
  const found = await Promise.all(PARTS.map((files) => firstWith(folders, files)));
  return found.every((folder) => folder !== undefined) ? [...new Set(found)] : [];
}

/** Returns the major version of CUDA that a libtorch was built for; 0 where it does not say. */
export async function cudaMajorOf({ path }: Libtorch): Promise<number> {
  return await majorVersion(join(path, "version.py"), /^cuda\b[^=]*= ['"](\d+)\./m);
}

/** Lists the folders in which a CUDA toolkit may be: those that variables name, then those in `/usr/local`. */
export async function toolkitFolders(env: Environment): Promise<readonly string[]> {
  const local = await readdir("/usr/local").catch((): string[] => []);
  return [
    ...[env.CUDA_HOME, env.CUDA_PATH].flatMap((root) => (root ? [root] : [])),
    ...local.filter((name) => /^cuda(?:-|$)/.test(name)).map((name) => join("/usr/local", name)),
  ];
}

async function candidates({ path }: Libtorch, major: number, env: Environment): Promise<readonly string[]> {
  const roots = [...(await toolkitFolders(env)), join(path, `../nvidia/cu${major}`)];
  const folders: string[] = [];
  for (const root of roots) {
    const folder = join(root, "include");
    const version = await majorVersion(join(folder, "cuda.h"), /^#define CUDA_VERSION (\d+)\d{3}$/m);
    if (version > 0 && (major === 0 || version === major)) folders.push(folder);
  }
  return folders;
}

async function firstWith(folders: readonly string[], files: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const missing = await Promise.all(
      files.map((file) =>
        access(join(folder, file)).then(
          () => false,
          () => true,
        ),
      ),
    );
    if (!missing.includes(true)) return folder;
  }
  return undefined;
}

/** Returns the number that a pattern finds in a file; 0 where there is none. */
async function majorVersion(file: string, pattern: RegExp): Promise<number> {
  const text = await readFile(file, "utf8").catch(() => "");
  return Number(pattern.exec(text)?.[1] ?? 0);
}
