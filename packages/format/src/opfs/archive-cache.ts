import type { ByteSource } from "../byte-source.ts";
import type { OptionTypes } from "../options.ts";
import { requireOptions } from "../options.ts";
import { Pt2Error } from "../pt2-error.ts";
import { readInBlocks } from "../read-in-blocks.ts";
import { URL_OPTIONS, type UrlOptions } from "../remote/remote-options.ts";
import { fromUrl } from "../source-url.ts";
import { archiveId } from "./archive-id.ts";
import { CacheEntry, entriesIn } from "./cache-entry.ts";
import { CachedSource } from "./cached-source.ts";
import { offlineSource } from "./offline-source.ts";

/** A `FileSystemDirectoryHandle`, where the types of pages are known: programs for Node compile without them. */
export type PageFolder = typeof globalThis extends { FileSystemDirectoryHandle: { prototype: infer Folder } }
  ? Folder
  : never;

/** Options of {@link cached}. */
export interface CacheOptions extends UrlOptions {
  /** @default the folder `pt2` of the page's origin private file system */
  readonly folder?: PageFolder;
  /** The bytes that all archives may take together; the least recently used ones are removed. @default 8 GiB */
  readonly limit?: number;
  /**
   * Asks the server first whether the file is unchanged. `false` uses what was read from that address before, and
   * requests only missing blocks: for addresses whose file never changes. @default true
   */
  readonly revalidate?: boolean;
}

const FOLDER_OPTIONS: OptionTypes = { folder: "object" };
const OPTIONS: OptionTypes = { ...URL_OPTIONS, ...FOLDER_OPTIONS, limit: "number", revalidate: "boolean" };

const LIMIT = 8 * 2 ** 30;
const FOLDER = "pt2";

/**
 * Creates a source that stores what it reads in the origin private file system, block by block: the next load, or a
 * retry after a failure, downloads only the missing blocks. `load(await cached(url), …)`.
 *
 * An archive is identified by its size and its end, where the checksums of all entries are, so a file that was replaced
 * is read anew, and one that moved is not. While the network is unreachable, the last file from the same address is
 * used: a model that was loaded before loads again. Where the page has no such file system, or the file exceeds the
 * limit, the source is returned unchanged.
 */
export async function cached(from: string | URL | ByteSource, options: CacheOptions = {}): Promise<ByteSource> {
  requireOptions("cached()", options, OPTIONS, "format.options");
  const root = await folderOf(options);
  if (typeof from !== "string" && !(from instanceof URL)) return await keeping(root, from, null, options);
  const address = addressOf(from);
  const kept = async (): Promise<ByteSource | null> =>
    root === null ? null : await offlineSource(root, address, options).catch(() => null);
  const known = options.revalidate === false ? await kept() : null;
  if (known !== null) return known;
  try {
    return await keeping(root, await fromUrl(address, ofUrl(options)), address, options);
  } catch (problem) {
    const offline = isUnreachable(problem) ? await kept() : null;
    if (offline === null) throw problem;
    return offline;
  }
}

/** Creates a source that stores what it reads; `address` is its URL, or null for a source without one. */
async function keeping(
  root: FileSystemDirectoryHandle | null,
  source: ByteSource,
  address: string | null,
  { limit = LIMIT, signal }: CacheOptions,
): Promise<ByteSource> {
  if (root === null || source.size > limit) return source;
  try {
    const name = await archiveId(source, { signal });
    await makeRoom(root, limit - source.size, name);
    const entry = await CacheEntry.open(root, name);
    if (address !== null) await entry.remember({ address, size: source.size });
    return readInBlocks(new CachedSource(source, entry));
  } catch (problem) {
    signal?.throwIfAborted();
    // Private windows may refuse storage. A source that cannot be read at all reports that to its reader.
    if (problem instanceof DOMException) return source;
    await source.close?.();
    throw problem;
  }
}

/** Returns the bytes that the cache takes, rounded up to whole blocks. */
export async function cacheUsage(options: Pick<CacheOptions, "folder"> = {}): Promise<number> {
  requireOptions("cacheUsage()", options, FOLDER_OPTIONS, "format.options");
  const root = await folderOf(options);
  return root === null ? 0 : (await entriesIn(root)).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Removes all archives. Open sources download again what they still need. */
export async function clearCache(options: Pick<CacheOptions, "folder"> = {}): Promise<void> {
  requireOptions("clearCache()", options, FOLDER_OPTIONS, "format.options");
  const root = await folderOf(options);
  if (root === null) return;
  for (const { name } of await entriesIn(root)) await remove(root, name);
}

/** What is left for the requests. */
function ofUrl({ folder: _folder, limit: _limit, revalidate: _revalidate, ...options }: CacheOptions): UrlOptions {
  return options;
}

/** Returns the folder, or null where there is none or it cannot be written without a worker. */
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

/** Returns whether the request got no response. Any response is the server's final answer. */
function isUnreachable(problem: unknown): boolean {
  return problem instanceof Pt2Error && problem.code === "format.io" && problem.cause !== undefined;
}

/** Resolves a relative address, so that both forms have one key. */
function addressOf(from: string | URL): string {
  const base = (globalThis as { readonly location?: { readonly href: string } }).location?.href;
  return URL.canParse(String(from), base) ? new URL(from, base).href : String(from);
}

/** Removes the least recently used archives until the rest fits. */
async function makeRoom(root: FileSystemDirectoryHandle, limit: number, keep: string): Promise<void> {
  const others = (await entriesIn(root)).filter(({ name }) => name !== keep).sort((a, b) => a.used - b.used);
  let bytes = others.reduce((sum, entry) => sum + entry.bytes, 0);
  for (const entry of others) {
    if (bytes <= limit) return;
    await remove(root, entry.name);
    bytes -= entry.bytes;
  }
}

/** Files that another page has open cannot be removed now; a later call removes them. */
async function remove(root: FileSystemDirectoryHandle, name: string): Promise<void> {
  await root.removeEntry(name, { recursive: true }).catch(() => {});
}
