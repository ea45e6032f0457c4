import { formatError } from "./format-errors.ts";
import { requireArgument } from "./options.ts";
import type { ByteRange } from "./remote/byte-range.ts";

/** Options of one read. */
export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** The destination, at least as long as the read; the result is then a view of its beginning. */
  readonly into?: Uint8Array | undefined;
}

/** Describes where another thread, such as a worker, can read a source's bytes. It can be structured-cloned. */
export type SourceOrigin =
  | { readonly kind: "file"; readonly path: string; readonly start: number }
  | { readonly kind: "blob"; readonly blob: Blob; readonly start: number };

/** Computes the CRC-32 of zip files; `crc` continues an earlier result. */
export type Crc32 = (bytes: Uint8Array, crc?: number) => number;

/** Random access to the bytes of a file, whether in memory, on disk or remote. */
export interface ByteSource {
  readonly size: number;
  /** Names the source in messages. */
  readonly name?: string;
  /** True when the bytes come over a network, where damage is likelier and checking is cheap beside the download. */
  readonly isRemote?: boolean;
  /** Absent when only this thread can read the bytes. */
  readonly origin?: SourceOrigin;
  /**
   * Reads exactly `length` bytes from `offset`. Without `into` the result may be a view of the source's own memory:
   * treat it as read-only.
   */
  read(offset: number, length: number, options?: ReadOptions): Promise<Uint8Array>;
  /** Fills `buffers`, one after the other, from `offset` on. Present only if that is a single read. */
  scatter?(offset: number, buffers: readonly Uint8Array[], options?: Pick<ReadOptions, "signal">): Promise<void>;
  /**
   * Announces ranges that will be read soon, each once and from its beginning to its end, so that a few long requests
   * fetch them. Returns a function that ends the announcement. Present where a request takes long.
   */
  expect?(ranges: readonly ByteRange[], options?: Pick<ReadOptions, "signal">): () => void;
  /**
   * Computes CRC-32 with the environment's own function; `crc` continues an earlier result. Absent: JavaScript computes
   * it.
   */
  readonly crc32?: Crc32;
  close?(): Promise<void>;
}

/** Creates a source over memory. Reads are views, nothing is copied. */
export function fromBytes(bytes: Uint8Array | ArrayBuffer): ByteSource {
  requireArgument("fromBytes()", "bytes", bytes, "Uint8Array | ArrayBuffer", "format.options");
  // Parts of a Node `Buffer` would be Buffers too, whose `slice()` copies nothing.
  const { buffer = bytes as ArrayBuffer, byteOffset, byteLength } = bytes as Partial<Uint8Array<ArrayBuffer>>;
  const all = new Uint8Array(buffer, byteOffset, byteLength);
  return {
    size: all.byteLength,
    async read(offset, length, options) {
      checkRange(this, offset, length, options);
      return deliver(all.subarray(offset, offset + length), options);
    },
  };
}

/** Creates a source over a `Blob` or `File`. */
export function fromBlob(blob: Blob): ByteSource {
  requireArgument("fromBlob()", "blob", blob, "{ size, slice }", "format.options");
  return {
    size: blob.size,
    origin: { kind: "blob", blob, start: 0 },
    ...("name" in blob && typeof blob.name === "string" ? { name: blob.name } : {}),
    async read(offset, length, options) {
      checkRange(this, offset, length, options);
      const buffer = await blob
        .slice(offset, offset + length)
        .arrayBuffer()
        .catch((cause: unknown) => {
          const what = `the file cannot be read: ${cause instanceof Error ? cause.message : cause}`;
          throw formatError("format.io", { what, where: this.name, advice: "choose the file again", cause });
        });
      return deliver(new Uint8Array(buffer), options);
    },
  };
}

/** Creates a source over a range of another source. Closing it does nothing. */
export function slice(source: ByteSource, start: number, size: number, name: string): ByteSource {
  const { origin } = source;
  return {
    size,
    name,
    ...(origin === undefined ? {} : { origin: { ...origin, start: origin.start + start } }),
    ...(source.expect !== undefined && {
      expect: (ranges: readonly ByteRange[], options?: Pick<ReadOptions, "signal">) =>
        source.expect!(
          ranges.map(({ offset, length }) => ({ offset: start + offset, length })),
          options,
        ),
    }),
    async read(offset, length, options) {
      checkRange(this, offset, length, options);
      return source.read(start + offset, length, options);
    },
  };
}

/** Copies the bytes into `options.into` if it is set. */
export function deliver(bytes: Uint8Array, options: ReadOptions | undefined): Uint8Array {
  const into = options?.into;
  if (into === undefined) return bytes;
  into.set(bytes);
  return into.subarray(0, bytes.byteLength);
}

/** Throws unless a read lies inside its source, fits its destination, and was not aborted. */
export function checkRange(source: ByteSource, offset: number, length: number, options?: ReadOptions): void {
  options?.signal?.throwIfAborted();
  const valid = Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length >= 0;
  if (!valid || offset + length > source.size) {
    throw formatError("format.truncated", {
      what: `the file ends before its data does: bytes ${offset} to ${offset + length} of ${source.size} were requested`,
      where: source.name,
      advice: "the file is incomplete, copy or download it again",
      details: { offset, length, size: source.size },
    });
  }
  if (options?.into !== undefined && options.into.byteLength < length) {
    throw formatError("format.io", {
      what: `the destination has ${options.into.byteLength} bytes, but the read has ${length}`,
      where: source.name,
      advice: "pass a destination of at least the read's length",
    });
  }
}
