import { type FileHandle, open, readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { crc32 } from "node:zlib";
import { type ByteSource, type Crc32, checkRange, type ReadOptions, type SourceOrigin } from "./byte-source.ts";
import { formatError } from "./format-errors.ts";

/** Creates a source over a file. Close it (or the archive on it) when done. */
export async function fromFile(path: string): Promise<ByteSource> {
  const file = await open(path).catch((cause: unknown) => {
    throw formatError("format.io", { what: "the file cannot be opened", where: path, advice: reason(cause), cause });
  });
  const stat = await file.stat().catch(async (cause: unknown) => {
    await file.close();
    throw formatError("format.io", { what: "the file cannot be read", where: path, advice: reason(cause), cause });
  });
  if (!stat.isFile()) {
    await file.close();
    const inside = (await readdir(path).catch(() => [])).filter((name) => name.endsWith(".pt2"));
    throw formatError("format.io", {
      what: "the path is a directory or a device, not a file",
      where: path,
      advice:
        inside.length === 0 ? "pass the .pt2 file itself" : `pass one of its files: ${inside.slice(0, 5).join(", ")}`,
    });
  }
  return new FileSource(path, stat.size, file);
}

function reason(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "ENOENT") return "no such file: check the path";
  if (code === "EACCES") return "no permission to read it";
  if (code === "ERR_INVALID_ARG_TYPE") return "pass a path, which is a string";
  return String(code ?? cause);
}

/**
 * Closes the files of sources that can no longer be reached, as of a model that was dropped and not disposed. Node
 * warns when it has to close a file itself, and says that it will throw in the future.
 */
const dropped = new FinalizationRegistry<FileHandle>((file) => void file.close().catch(() => {}));

class FileSource implements ByteSource {
  readonly name: string;
  readonly size: number;
  readonly origin: SourceOrigin;
  /** Node's own function takes a fraction of the time. */
  readonly crc32: Crc32 = crc32;
  #file: FileHandle | undefined;

  constructor(name: string, size: number, file: FileHandle) {
    this.name = name;
    this.size = size;
    this.origin = { kind: "file", path: resolve(name), start: 0 };
    this.#file = file;
    dropped.register(this, file, this);
  }

  async read(offset: number, length: number, options?: ReadOptions): Promise<Uint8Array> {
    checkRange(this, offset, length, options);
    const bytes = options?.into?.subarray(0, length) ?? new Uint8Array(length);
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < length) {
        const start = next;
        next += PIECE_BYTES;
        await this.#fill(bytes, start, Math.min(next, length), offset, options?.signal);
      }
    };
    const workers = Array.from({ length: Math.min(CONCURRENT_READS, Math.ceil(length / PIECE_BYTES)) }, worker);
    // Waits for all, so that nothing writes to the destination after the error is thrown.
    for (const result of await Promise.allSettled(workers)) if (result.status === "rejected") throw result.reason;
    return bytes;
  }

  async scatter(offset: number, buffers: readonly Uint8Array[], { signal }: ReadOptions = {}): Promise<void> {
    const length = buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
    checkRange(this, offset, length, { signal });
    let left = buffers.filter(({ byteLength }) => byteLength > 0);
    for (let done = 0; done < length; ) {
      signal?.throwIfAborted();
      const { bytesRead } = await this.#open().readv(left, offset + done);
      if (bytesRead === 0) throw this.#shorter();
      done += bytesRead;
      left = behind(left, bytesRead);
    }
  }

  /** Reads bytes `start` to `end` of the range that begins at `offset`. */
  async #fill(
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    for (let done = start; done < end; ) {
      signal?.throwIfAborted();
      const { bytesRead } = await this.#open().read(bytes, done, end - done, offset + done);
      if (bytesRead === 0) throw this.#shorter();
      done += bytesRead;
    }
  }

  #open(): FileHandle {
    if (this.#file !== undefined) return this.#file;
    throw formatError("format.closed", { what: "the file was read after it was closed", where: this.name });
  }

  #shorter(): Error {
    return formatError("format.truncated", { what: "the file became shorter while it was read", where: this.name });
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    dropped.unregister(this);
    await file?.close();
  }
}

/** Returns the rest of the destinations after `bytes` of them were filled. */
function behind(buffers: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let left = bytes;
  return buffers.flatMap((buffer) => {
    const skip = Math.min(left, buffer.byteLength);
    left -= skip;
    return skip === buffer.byteLength ? [] : buffer.subarray(skip);
  });
}

/** Large reads are split, with several in flight: threads share the work, and an abort takes effect early. */
const PIECE_BYTES = 16 * 2 ** 20;
const CONCURRENT_READS = 4;
