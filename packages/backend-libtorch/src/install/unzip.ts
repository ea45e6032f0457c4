import { createReadStream, createWriteStream } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createInflateRaw } from "node:zlib";
import { installError } from "./install-errors.ts";

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly compressedSize: number;
  readonly headerOffset: number;
}

const END = 0x06054b50;
const END_BYTES = 22;
const MOST_COMMENT = 65_535;
const CENTRAL = 0x02014b50;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;

/** Unpacks some files of a zip below 4 GB as streams: it holds none of them in memory. */
export async function unzip(file: string, folder: string, wanted: (name: string) => boolean): Promise<void> {
  const handle = await open(file);
  try {
    for (const entry of await directoryOf(handle, file)) {
      if (!wanted(entry.name) || entry.name.endsWith("/")) continue;
      if (entry.name.split(/[\\/]/).includes("..")) throw damaged(file, `it names a file ${entry.name}`);
      const local = await read(handle, entry.headerOffset, LOCAL_BYTES, file);
      const start = entry.headerOffset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
      const target = join(folder, entry.name);
      await mkdir(dirname(target), { recursive: true });
      await pipeline(
        createReadStream(file, { start, end: start + entry.compressedSize - 1, highWaterMark: 1 << 20 }),
        entry.method === 0 ? new PassThrough() : createInflateRaw({ chunkSize: 1 << 20 }),
        createWriteStream(target),
      );
    }
  } finally {
    await handle.close();
  }
}

async function directoryOf(handle: FileHandle, file: string): Promise<readonly Entry[]> {
  const { size } = await handle.stat();
  const tailStart = Math.max(0, size - END_BYTES - MOST_COMMENT);
  const tail = await read(handle, tailStart, size - tailStart, file);
  let at = tail.length - END_BYTES;
  while (at >= 0 && tail.readUInt32LE(at) !== END) at--;
  if (at < 0) throw damaged(file, "it has no end");
  const count = tail.readUInt16LE(at + 10);
  const bytes = tail.readUInt32LE(at + 12);
  const offset = tail.readUInt32LE(at + 16);
  if (count === 0xffff || offset === 0xffffffff) throw damaged(file, "it is larger than 4 GB");
  return entriesOf(await read(handle, offset, bytes, file), count, file);
}

function entriesOf(directory: Buffer, count: number, file: string): readonly Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; entries.length < count; ) {
    if (at + CENTRAL_BYTES > directory.length || directory.readUInt32LE(at) !== CENTRAL) {
      throw damaged(file, "its directory is cut off");
    }
    const nameBytes = directory.readUInt16LE(at + 28);
    entries.push({
      name: directory.toString("utf8", at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes),
      method: directory.readUInt16LE(at + 10),
      compressedSize: directory.readUInt32LE(at + 20),
      headerOffset: directory.readUInt32LE(at + 42),
    });
    at += CENTRAL_BYTES + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}

async function read(handle: FileHandle, offset: number, length: number, file: string): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
  if (bytesRead !== length) throw damaged(file, "it is cut off");
  return buffer;
}

function damaged(where: string, why: string): Error {
  return installError("libtorch.install-failed", {
    what: `The archive cannot be unpacked: ${why}`,
    where,
    advice: "download it again",
  });
}
