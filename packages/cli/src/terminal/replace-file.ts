import { open, rename, rm, stat } from "node:fs/promises";
import { notWritten } from "./write-text.ts";

/** Appends bytes to a file. */
export type Write = (bytes: Uint8Array) => Promise<void>;

/**
 * Writes beside the file first: what was there before stays whole if the writing fails, and nothing else is left. Returns
 * what `content` returns.
 */
export async function replaceFile<T>(path: string, content: (write: Write) => Promise<T>): Promise<T> {
  const coded = (cause: unknown): never => {
    throw notWritten(path, cause);
  };
  await refuseFolder(path);
  const beside = besideOf(path);
  const file = await open(beside, "w").catch(coded);
  try {
    const written = await content((bytes) => file.writeFile(bytes).catch(coded));
    await file.close().catch(coded);
    await rename(beside, path).catch(coded);
    return written;
  } catch (problem) {
    await file.close();
    await rm(beside, { force: true });
    throw problem;
  }
}

/** Throws where {@link replaceFile} could not write a file, so that no long computation is lost. Changes no file. */
export async function requireReplaceable(path: string): Promise<void> {
  await refuseFolder(path);
  const beside = besideOf(path);
  try {
    await (await open(beside, "w")).close();
    await rm(beside);
  } catch (cause) {
    throw notWritten(path, cause);
  }
}

/** Renaming to a folder fails as well, but only after everything is written. */
async function refuseFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) throw notWritten(path, "it is a folder: name a file in it");
}

function besideOf(path: string): string {
  return `${path}.${process.pid}.tmp`;
}
