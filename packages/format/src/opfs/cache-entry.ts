/** Bytes of a part, but for the last one of a file. */
export const PART: number = 2 * 2 ** 20;

const PART_FILE = /^(\d+)\.part$/;
/** When it was written last says when the entry was used last. */
const USED = "used";
/** Says where the archive was read from. */
const ORIGIN = "origin.json";

/** The parts of one archive that are kept, each in a file of its own. A part is there as a whole or not at all. */
export class CacheEntry {
  readonly #folder: FileSystemDirectoryHandle;
  readonly #parts: Set<number>;

  private constructor(folder: FileSystemDirectoryHandle, parts: Set<number>) {
    this.#folder = folder;
    this.#parts = parts;
  }

  /** Opens the entry of that name, which is used now; an empty one when there is none. */
  static async open(root: FileSystemDirectoryHandle, name: string): Promise<CacheEntry> {
    const folder = await root.getDirectoryHandle(name, { create: true });
    await writeFile(folder, USED, new Uint8Array(1));
    return new CacheEntry(folder, await partsIn(folder));
  }

  /** Whether a part is there, as far as is known. */
  has(index: number): boolean {
    return this.#parts.has(index);
  }

  /** Bytes of a part; null when the part is not there. */
  async read(index: number, start: number, length: number): Promise<Uint8Array | null> {
    if (!this.#parts.has(index)) return null;
    try {
      const file = await (await this.#folder.getFileHandle(`${index}.part`)).getFile();
      const bytes = new Uint8Array(await file.slice(start, start + length).arrayBuffer());
      if (bytes.byteLength === length) return bytes;
    } catch {
      // Another page has removed it.
    }
    this.#parts.delete(index);
    return null;
  }

  /** Keeps where it came from, so that {@link entryFrom} finds it when nobody can be asked. */
  async remember(origin: EntryOrigin): Promise<void> {
    await writeFile(this.#folder, ORIGIN, new TextEncoder().encode(JSON.stringify(origin)));
  }

  async write(index: number, bytes: Uint8Array): Promise<void> {
    await writeFile(this.#folder, `${index}.part`, bytes);
    this.#parts.add(index);
  }
}

/** Where an archive was read from last, and how large it is. */
export interface EntryOrigin {
  readonly address: string;
  readonly size: number;
}

/** An entry as the cache sees it. */
export interface EntryInfo {
  readonly name: string;
  /** At most so many, the last part may be smaller. */
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly used: number;
}

/** All entries. */
export async function entriesIn(root: FileSystemDirectoryHandle): Promise<readonly EntryInfo[]> {
  const entries: EntryInfo[] = [];
  for await (const [name, handle] of root.entries()) {
    if (handle.kind !== "directory") continue;
    const folder = await root.getDirectoryHandle(name);
    const parts = await partsIn(folder);
    const used = await folder.getFileHandle(USED).then(
      async (file) => (await file.getFile()).lastModified,
      () => 0,
    );
    entries.push({ name, bytes: parts.size * PART, used });
  }
  return entries;
}

/** What was read from an address last: an entry's name and the archive's size. */
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

async function partsIn(folder: FileSystemDirectoryHandle): Promise<Set<number>> {
  const parts = new Set<number>();
  for await (const name of folder.keys()) {
    const index = PART_FILE.exec(name)?.[1];
    if (index !== undefined) parts.add(Number(index));
  }
  return parts;
}

/** Replaces the file when all is written, so that a page that is closed meanwhile leaves no half of it. */
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
