import { formatError } from "./format-errors.ts";
import type { ByteRange } from "./remote/byte-range.ts";

/** How one read is made. */
export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Destination of at least the read's length; the result is then its beginning. */
  readonly into?: Uint8Array | undefined;
}

/** Where a source's bytes can be read again by somebody else, a worker for example. Structured clone takes it. */
export type SourceOrigin =
  | { readonly kind: "file"; readonly path: string; readonly start: number }
  | { readonly kind: "blob"; readonly blob: Blob; readonly start: number };

/** CRC-32 of zip files; `crc` continues an earlier result. */
export type Crc32 = (bytes: Uint8Array, crc?: number) => number;

/** Random access to the bytes of a file, wherever it is. */
export interface ByteSource {
  readonly size: number;
  /** Shown in messages. */
  readonly name?: string;
  /** Whether the bytes come over a network, where damage is likelier, and looking for it cheap beside the download. */
  readonly isRemote?: boolean;
  /** Absent when the bytes are only here. */
  readonly origin?: SourceOrigin;
  /**
   * Exactly `length` bytes from `offset`. Without `into` the result may be a view of the source's own memory: treat it
   * as read-only.
   */
  read(offset: number, length: number, options?: ReadOptions): Promise<Uint8Array>;
  /** Fills `buffers`, one after the other, from `offset` on. Present where that is one read and not several. */
  scatter?(offset: number, buffers: readonly Uint8Array[], options?: Pick<ReadOptions, "signal">): Promise<void>;
  /**
   * Says which ranges will be read soon, each from its beginning to its end and once: they come in a few long requests.
   * Returns how to say that no more of them will be. Present where a request takes long.
   */
  expect?(ranges: readonly ByteRange[], options?: Pick<ReadOptions, "signal">): () => void;
  /** CRC-32 by what the environment has for it; `crc` continues an earlier result. Absent: it is computed in JavaScript. */
  readonly crc32?: Crc32;
  close?(): Promise<void>;
}

/** A source over memory. Reads are views, nothing is copied. */
export function fromBytes(bytes: Uint8Array | ArrayBuffer): ByteSource {
  const all = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
  return {
    size: all.byteLength,
    async read(offset, length, options) {
      checkRange(this, offset, length, options);
      return deliver(all.subarray(offset, offset + length), options);
    },
  };
}

/** A source over a `Blob` or `File`. */
export function fromBlob(blob: Blob): ByteSource {
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

/** A part of a source as a source. Closing it does nothing. */
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

/** Copies into `options.into` when there is one. */
export function deliver(bytes: Uint8Array, options: ReadOptions | undefined): Uint8Array {
  const into = options?.into;
  if (into === undefined) return bytes;
  into.set(bytes);
  return into.subarray(0, bytes.byteLength);
}

/** Fails unless a read lies inside its source, fits its destination, and was not aborted. */
export function checkRange(source: ByteSource, offset: number, length: number, options?: ReadOptions): void {
  options?.signal?.throwIfAborted();
  const valid = Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length >= 0;
  if (!valid || offset + length > source.size) {
    throw formatError("format.truncated", {
      what: `the file ends before its data does: bytes ${offset} to ${offset + length} of ${source.size} were asked for`,
      where: source.name,
      advice: "the file is incomplete, copy or download it again",
      details: { offset, length, size: source.size },
    });
  }
  if (options?.into !== undefined && options.into.byteLength < length) {
    throw formatError("format.io", {
      what: `the destination has ${options.into.byteLength} bytes, the read ${length}`,
      where: source.name,
      advice: "pass a destination of at least the read's length",
    });
  }
}
