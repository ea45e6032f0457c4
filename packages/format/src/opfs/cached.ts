import { readInBlocks } from "../read-in-blocks.ts";
import type { ByteSource } from "../source.ts";
import { fromUrl, type UrlOptions } from "../source-url.ts";
import { CacheEntry, entriesIn } from "./cache-entry.ts";
import { CachedSource } from "./cached-source.ts";

/** Where archives are kept, and how many. */
export interface CacheOptions extends UrlOptions {
  /** @default the folder `pt2` of the page's origin private file system */
  readonly folder?: FileSystemDirectoryHandle;
  /** Bytes that all archives may take together; those that were not used for the longest time go. @default 8 GiB */
  readonly limit?: number;
}

/** Where the end of an archive begins, which holds the names, sizes and check sums of its records. */
const TAIL = 64 * 1024;
const LIMIT = 8 * 2 ** 30;
const FOLDER = "pt2";

/**
 * A source that keeps what is read of it in the origin private file system, part by part: the next load, or the same one
 * after it broke off, reads over the network only what is not there yet. `load(await cached(url), …)`.
 *
 * An archive is known by its size and its end, where the check sums of all records are, so a file that was replaced is
 * read anew, and one that moved is not. Where a page has no such file system, or the file is larger than the limit, the
 * source is given as it is.
 */
export async function cached(from: string | URL | ByteSource, options: CacheOptions = {}): Promise<ByteSource> {
  const { limit = LIMIT, signal } = options;
  const source = typeof from === "string" || from instanceof URL ? await fromUrl(from, options) : from;
  const root = await folderOf(options);
  if (root === null || source.size > limit) return source;
  try {
    const name = await nameOf(source, signal);
    await makeRoom(root, limit - source.size, name);
    return readInBlocks(new CachedSource(source, await CacheEntry.open(root, name)));
  } catch (problem) {
    signal?.throwIfAborted();
    // Private windows may refuse storage; what cannot be read at all is told again by whoever reads.
    if (problem instanceof DOMException) return source;
    await source.close?.();
    throw problem;
  }
}

/** Bytes that the cache takes, rounded up to whole parts. */
export async function cacheUsage(options: Pick<CacheOptions, "folder"> = {}): Promise<number> {
  const root = await folderOf(options);
  return root === null ? 0 : (await entriesIn(root)).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Removes all archives. Sources that are open read over the network what they still need. */
export async function clearCache(options: Pick<CacheOptions, "folder"> = {}): Promise<void> {
  const root = await folderOf(options);
  if (root === null) return;
  for (const { name } of await entriesIn(root)) await remove(root, name);
}

/** The folder; null where there is none, or no way to write to it without a worker. */
async function folderOf({ folder }: Pick<CacheOptions, "folder">): Promise<FileSystemDirectoryHandle | null> {
  if (folder !== undefined) return folder;
  const storage = (globalThis.navigator as Navigator | undefined)?.storage as StorageManager | undefined;
  const canWrite = "FileSystemFileHandle" in globalThis && "createWritable" in FileSystemFileHandle.prototype;
  if (storage?.getDirectory === undefined || !canWrite) return null;
  try {
    return await (await storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });
  } catch {
    return null;
  }
}

async function nameOf(source: ByteSource, signal: AbortSignal | undefined): Promise<string> {
  const length = Math.min(TAIL, source.size);
  const tail = await source.read(source.size - length, length, { signal });
  const hashed = new Uint8Array(length + 8);
  hashed.set(tail);
  new DataView(hashed.buffer).setBigUint64(length, BigInt(source.size));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", hashed));
  return Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Removes what was not used for the longest time, until the others fit. */
async function makeRoom(root: FileSystemDirectoryHandle, limit: number, keep: string): Promise<void> {
  const others = (await entriesIn(root)).filter(({ name }) => name !== keep).sort((a, b) => a.used - b.used);
  let bytes = others.reduce((sum, entry) => sum + entry.bytes, 0);
  for (const entry of others) {
    if (bytes <= limit) return;
    await remove(root, entry.name);
    bytes -= entry.bytes;
  }
}

/** Files that another page has open stay; they are removed another time. */
async function remove(root: FileSystemDirectoryHandle, name: string): Promise<void> {
  await root.removeEntry(name, { recursive: true }).catch(() => {});
}
