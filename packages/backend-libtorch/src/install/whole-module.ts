import { createHash } from "node:crypto";
import { open, readFile } from "node:fs/promises";

/** The file beside a module with its checksum, so that a damaged module is not loaded: that may end the process. */
export interface ModuleRecord {
  readonly sha256: string;
}

export async function recordOf(file: string): Promise<ModuleRecord> {
  return { sha256: await hashOf(file) };
}

/**
 * Returns whether a module is what was built. Builds of earlier versions have no record: their structure is checked.
 */
export async function isWhole(file: string, record: Partial<ModuleRecord>): Promise<boolean> {
  return record.sha256 === undefined ? !(await isCutShort(file)) : (await hashOf(file)) === record.sha256;
}

/**
 * Returns whether a shared library ends before what is mapped of it. The loader trusts the header, and the first access
 * to
 * a page that is not there is a bus error. Only ELF files of 64 bits are checked; others count as whole.
 */
export async function isCutShort(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const read = async (at: number, length: number): Promise<DataView> => {
      const bytes = new Uint8Array(length);
      await handle.read(bytes, 0, length, at);
      return new DataView(bytes.buffer);
    };
    const header = await read(0, 64);
    if (header.getUint32(0) !== ELF || header.getUint8(4) !== 2) return size === 0;
    const at = Number(header.getBigUint64(32, true));
    const [entry, count] = [header.getUint16(54, true), header.getUint16(56, true)];
    if (at + entry * count > size) return true;
    const segments = await read(at, entry * count);
    return Array.from({ length: count }, (_, i) => i * entry).some((segment) => {
      const offset = segments.getBigUint64(segment + 8, true);
      return offset + segments.getBigUint64(segment + 32, true) > BigInt(size);
    });
  } finally {
    await handle.close();
  }
}

const ELF = 0x7f454c46;

async function hashOf(file: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
}
