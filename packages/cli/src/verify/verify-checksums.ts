import { openArchive, Pt2Error } from "@pt2/format";
import { openFile } from "@pt2/runtime/node";

/** The result of comparing every entry of a file with its checksum. */
export interface ChecksumReport {
  readonly ok: boolean;
  readonly entries: number;
  readonly bytes: number;
  /** The names of damaged entries. */
  readonly damaged: readonly string[];
}

/** Reads every entry of a file, one after the other. */
export async function verifyChecksums(file: string): Promise<ChecksumReport> {
  const archive = await openArchive(await openFile(file), { verifyChecksums: true });
  try {
    const damaged: string[] = [];
    let bytes = 0;
    for (const { name, size } of archive.entries.values()) {
      bytes += size;
      try {
        await archive.readEntry(name);
      } catch (problem) {
        if (!(problem instanceof Pt2Error && problem.code === "format.checksum")) throw problem;
        damaged.push(name);
      }
    }
    return { ok: damaged.length === 0, entries: archive.entries.size, bytes, damaged };
  } finally {
    await archive.close();
  }
}
