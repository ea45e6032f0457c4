/** The bytes of a block; the last block of a file may be shorter. */
export const BLOCK: number = 2 * 2 ** 20;

const BLOCK_FILE = /^(\d+)\.part$/;
/** The modification time of this file is the time of the entry's last use. */
const USED = "used";
/** This file holds the address that the archive was read from. */
const ORIGIN = "origin.json";

/** The stored blocks of one archive, each a file of its own. A block is stored whole or not at all. */
export class CacheEntry {
  readonly #folder: FileSystemDirectoryHandle;
  readonly #blocks: Set<number>;

  private constructor(folder: FileSystemDirectoryHandle, blocks: Set<number>) {
    this.#folder = folder;
    this.#blocks = blocks;
  }

  /** Opens the entry of that name and marks it as used; creates an empty one when there is none. */
  static async open(root: FileSystemDirectoryHandle, name: string): Promise<CacheEntry> {
    const folder = await root.getDirectoryHandle(name, { create: true });
    await writeFile(folder, USED, new Uint8Array(1));
    return new CacheEntry(folder, await blocksIn(folder));
  }

  /** Returns whether a block was stored when the entry was last read. */
  has(index: number): boolean {
    return this.#blocks.has(index);
  }

  /** Reads bytes of a block; returns null when the block is not stored. */
  async read(index: number, start: number, length: number): Promise<Uint8Array | null> {
    if (!this.#blocks.has(index)) return null;
    try {
      const file = await (await this.#folder.getFileHandle(`${index}.part`)).getFile();
      const bytes = new Uint8Array(await file.slice(start, start + length).arrayBuffer());
      if (bytes.byteLength === length) return bytes;
    } catch {
      // Another page has removed it.
    }
    this.#blocks.delete(index);
    return null;
  }

  /** Stores the address, so that {@link entryFrom} finds the entry while the server is unreachable. */
  async remember(origin: EntryOrigin): Promise<void> {
    await writeFile(this.#folder, ORIGIN, new TextEncoder().encode(JSON.stringify(origin)));
  }

  async write(index: number, bytes: Uint8Array): Promise<void> {
    await writeFile(this.#folder, `${index}.part`, bytes);
    this.#blocks.add(index);
  }
}

/** The address that an archive was read from last, and its size. */
export interface EntryOrigin {
  readonly address: string;
  readonly size: number;
}

/** Describes an entry for the cache's accounting. */
export interface EntryInfo {
  readonly name: string;
  /** An upper bound, as the last block may be shorter. */
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly used: number;
}

/** Lists all entries. */
export async function entriesIn(root: FileSystemDirectoryHandle): Promise<readonly EntryInfo[]> {
  const entries: EntryInfo[] = [];
  for await (const [name, handle] of root.entries()) {
    if (handle.kind !== "directory") continue;
    const folder = await root.getDirectoryHandle(name);
    const blocks = await blocksIn(folder);
    const used = await folder.getFileHandle(USED).then(
      async (file) => (await file.getFile()).lastModified,
      () => 0,
    );
    entries.push({ name, bytes: blocks.size * BLOCK, used });
  }
  return entries;
}

/** Finds what was read from an address last: an entry's name and the archive's size. */
export async function entryFrom(
  root: FileSystemDirectoryHandle,
  address: string,
): Promise<{ readonly name: string; readonly size: number } | null> {
  const latest = [...(await entriesIn(root))].sort((a, b) => b.used - a.used);
  for (const { name } of latest) {
    const origin = await originOf(await root.getDirectoryHandle(name)).catch(() => null);
    if (origin?.address === address) return { name, size: origin.size };
  }
  return null;
}

async function originOf(folder: FileSystemDirectoryHandle): Promise<EntryOrigin> {
  const file = await (await folder.getFileHandle(ORIGIN)).getFile();
  return JSON.parse(await file.text()) as EntryOrigin;
}

async function blocksIn(folder: FileSystemDirectoryHandle): Promise<Set<number>> {
  const blocks = new Set<number>();
  for await (const name of folder.keys()) {
    const index = BLOCK_FILE.exec(name)?.[1];
    if (index !== undefined) blocks.add(Number(index));
  }
  return blocks;
}

/** Writes a file atomically, so that a page that is closed meanwhile leaves no partial file. */
async function writeFile(folder: FileSystemDirectoryHandle, name: string, bytes: Uint8Array): Promise<void> {
  const handle = await folder.getFileHandle(name, { create: true });
  const stream = await handle.createWritable();
  try {
    await stream.write(bytes as Uint8Array<ArrayBuffer>);
  } catch (error) {
    await stream.abort().catch(() => {});
    throw error;
  }
  await stream.close();
}
