import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { UNFINISHED } from "./entry-file.ts";

/** An unfinished file that was last written so long ago was left behind by a process that was killed. */
const ABANDONED_MS = 3600_000;

/** Removes what was not used for longest, until what is left takes at most `maxBytes`, and what was never finished. */
export async function makeRoom(folder: string, maxBytes: number): Promise<void> {
  let bytes = 0;
  for (const { file, size, age } of await filesIn(folder)) {
    const unfinished = file.endsWith(UNFINISHED);
    if (!unfinished) bytes += size;
    // Another process may have removed it, or on Windows use it.
    if (unfinished ? age > ABANDONED_MS : bytes > maxBytes) await rm(file, { force: true }).catch(() => undefined);
  }
}

/** Lists the files of a folder, those that were used last first. */
async function filesIn(
  folder: string,
): Promise<readonly { readonly file: string; readonly size: number; readonly age: number }[]> {
  const names = (await readdir(folder)).filter((name) => /\.weights(\.[\w-]+\.part)?$/.test(name));
  const files = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      const { size, mtimeMs } = await stat(file).catch(() => ({ size: 0, mtimeMs: 0 }));
      return { file, size, age: Date.now() - mtimeMs };
    }),
  );
  return files.sort((a, b) => a.age - b.age);
}
