import type { ByteSource } from "../byte-source.ts";
import { Pt2Error } from "../pt2-error.ts";
import { readInBlocks } from "../read-in-blocks.ts";
import type { UrlOptions } from "../remote/remote-options.ts";
import { fromUrl } from "../source-url.ts";
import { archiveId } from "./archive-id.ts";
import { CacheEntry, entriesIn } from "./cache-entry.ts";
import { CachedSource } from "./cached-source.ts";
import { keptSource } from "./offline-source.ts";

/** Where archives are kept, and how many. */
export interface CacheOptions extends UrlOptions {
  /** @default the folder `pt2` of the page's origin private file system */
  readonly folder?: FileSystemDirectoryHandle;
  /** Bytes that all archives may take together; those that were not used for the longest time go. @default 8 GiB */
  readonly limit?: number;
  /**
   * Whether the server is asked first if the file is still the same. `false` takes what was read from that address
   * before, and asks for nothing that is there: for addresses whose file never changes. @default true
   */
  readonly revalidate?: boolean;
}

const LIMIT = 8 * 2 ** 30;
const FOLDER = "pt2";

/**
 * A source that keeps what is read of it in the origin private file system, part by part: the next load, or the same one
 * after it broke off, reads over the network only what is not there yet. `load(await cached(url), …)`.
 *
 * An archive is known by its size and its end, where the check sums of all entries are, so a file that was replaced is
 * read anew, and one that moved is not. While the network cannot be reached, what was read from the same address last is
 * taken: a model that was loaded before loads again. Where a page has no such file system, or the file is larger than the
 * limit, the source is given as it is.
 */
export async function cached(from: string | URL | ByteSource, options: CacheOptions = {}): Promise<ByteSource> {
  const root = await folderOf(options);
  if (typeof from !== "string" && !(from instanceof URL)) return await keeping(root, from, null, options);
  const address = addressOf(from);
  const kept = async (): Promise<ByteSource | null> =>
    root === null ? null : await keptSource(root, address, options).catch(() => null);
  const known = options.revalidate === false ? await kept() : null;
  if (known !== null) return known;
  try {
    return await keeping(root, await fromUrl(address, options), address, options);
  } catch (problem) {
    const offline = isUnreachable(problem) ? await kept() : null;
    if (offline === null) throw problem;
    return offline;
  }
}

/** A source that keeps what is read; `address` is where it is, null when only its reader knows. */
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

/** The request got no answer at all. An answer, whichever, is the server's last word. */
function isUnreachable(problem: unknown): boolean {
  return problem instanceof Pt2Error && problem.code === "format.io" && problem.cause !== undefined;
}

/** The same for a path and for the whole of it. */
function addressOf(from: string | URL): string {
  const base = (globalThis as { readonly location?: { readonly href: string } }).location?.href;
  return URL.canParse(String(from), base) ? new URL(from, base).href : String(from);
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
