import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";

const LIBRARY = /^libtorch_cpu\.(?:so|dylib)$/;

/**
 * Returns the folder `lib` of the libtorch that this process (any of its threads) has loaded; undefined while there is
 * none.
 */
export async function loadedLibtorch(): Promise<string | undefined> {
  const file = (await loadedFiles()).find((path) => LIBRARY.test(basename(path)));
  return file === undefined ? undefined : dirname(file);
}

async function loadedFiles(): Promise<readonly string[]> {
  if (process.platform === "linux") {
    const maps = await readFile("/proc/self/maps", "utf8");
    return [...maps.matchAll(/ (\/.*)$/gm)].map(([, path]) => path!.replace(/ \(deleted\)$/, ""));
  }
  const { sharedObjects } = process.report.getReport() as { readonly sharedObjects?: readonly string[] };
  return sharedObjects ?? [];
}
