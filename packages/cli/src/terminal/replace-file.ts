import type { Stats } from "node:fs";
import { open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { notWritten } from "./not-written.ts";

/** Appends bytes to a file. */
export type Write = (bytes: Uint8Array) => Promise<void>;

/**
 * Writes beside the file first: what was there before stays whole if the writing fails, and nothing else is left. Links,
 * owner and permissions stay as they are. A pipe or a device is written to. Returns what `content` returns.
 */
export async function replaceFile<T>(path: string, content: (write: Write) => Promise<T>): Promise<T> {
  const before = await found(path);
  // There is nothing to keep, and it must not become a file.
  if (before?.isFile() === false) return await writeTo(path, path, content);
  const target = await fileAt(path);
  const beside = besideOf(target);
  try {
    const written = await writeTo(beside, path, content, before);
    await rename(beside, target).catch((cause: unknown) => {
      throw notWritten(path, cause);
    });
    return written;
  } catch (problem) {
    // What cannot be removed, such as a name that is too long, was not written either.
    await rm(beside, { force: true }).catch(() => {});
    throw problem;
  }
}

/** Throws where {@link replaceFile} could not write a file, so that no long computation is lost. Changes no file. */
export async function requireReplaceable(path: string): Promise<void> {
  const before = await found(path);
  if (before?.isFile() === false) return;
  const beside = besideOf(await fileAt(path));
  try {
    await (await open(beside, "w")).close();
    await rm(beside);
  } catch (cause) {
    throw notWritten(path, cause);
  }
}

/** Returns the path of the file that a path leads to, through links; the file need not exist. */
export async function fileAt(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (cause) {
    // A loop of links, or a file where a folder should be.
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw notWritten(path, cause);
    const folder = await realpath(dirname(path)).catch(() => resolve(dirname(path)));
    const link = await readlink(path).catch(() => undefined);
    return link === undefined ? join(folder, basename(path)) : await fileAt(resolve(folder, link));
  }
}

/** Writes to a file, whose name in errors is `path`; like one that was there before. */
async function writeTo<T>(
  file: string,
  path: string,
  content: (write: Write) => Promise<T>,
  before?: Stats,
): Promise<T> {
  const coded = (cause: unknown): never => {
    throw notWritten(path, cause);
  };
  const handle = await open(file, "w").catch(coded);
  try {
    if (before !== undefined) {
      // Only root may give a file to others.
      await handle.chown(before.uid, before.gid).catch(() => {});
      await handle.chmod(before.mode).catch(coded);
    }
    const written = await content((bytes) => handle.writeFile(bytes).catch(coded));
    await handle.close().catch(coded);
    return written;
  } finally {
    await handle.close();
  }
}

/** Returns what is at a path. Renaming to a folder fails as well, but only after everything is written. */
async function found(path: string): Promise<Stats | undefined> {
  const before = await stat(path).catch(() => undefined);
  if (before?.isDirectory() === true) throw notWritten(path, "it is a folder: name a file in it");
  return before;
}

function besideOf(path: string): string {
  return `${path}.${process.pid}.tmp`;
}
