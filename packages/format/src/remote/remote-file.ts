import { type ByteSource, checkRange, type ReadOptions } from "../byte-source.ts";
import { allocate } from "./allocate.ts";
import type { ByteRange } from "./byte-range.ts";
import { type FileVersion, isSameVersion, versionOf } from "./file-version.ts";
import { type Answer, ask } from "./http-request.ts";
import { brokenOff, changed, ioError, refusedBy } from "./remote-errors.ts";
import type { UrlOptions } from "./remote-options.ts";
import { Retries } from "./retries.ts";

/** Progress of this many bytes resets the failure count: a long download may break off now and then. */
const FORGIVEN_AFTER = 2 ** 20;
/** A read up to this size at the end of the file is cached, as every open begins there. */
const KEPT_TAIL = 128 * 1024;

/** The facts about a file in the first response. */
export interface RemoteFacts {
  readonly size: number;
  readonly version: FileVersion;
  /** Its first bytes, which that response contained. */
  readonly head: Uint8Array;
}

/** A file whose server supports Range requests. The bytes of both ends are requested once. */
export class RemoteFile implements ByteSource {
  readonly name: string;
  readonly size: number;
  readonly #options: UrlOptions;
  readonly #version: FileVersion;
  readonly #head: Uint8Array;
  #tail = new Uint8Array(0);

  constructor(name: string, { size, version, head }: RemoteFacts, options: UrlOptions) {
    this.name = name;
    this.size = size;
    this.#version = version;
    this.#head = head;
    this.#options = options;
  }

  async read(offset: number, length: number, options?: ReadOptions): Promise<Uint8Array> {
    checkRange(this, offset, length, options);
    const bytes = options?.into?.subarray(0, length) ?? allocate(length, this.name);
    let at = 0;
    for await (const chunk of this.stream({ offset, length }, options?.signal)) {
      bytes.set(chunk, at);
      at += chunk.byteLength;
    }
    if (offset + length === this.size && length > this.#tail.byteLength && length <= KEPT_TAIL) {
      this.#tail = bytes.slice();
    }
    return bytes;
  }

  /** Streams the bytes of a range from one request. */
  async *stream({ offset, length }: ByteRange, signal?: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
    const end = offset + length;
    const headEnd = Math.min(end, this.#head.byteLength);
    if (offset < headEnd) yield this.#head.subarray(offset, headEnd);
    const tail = this.#tail;
    const tailStart = this.size - tail.byteLength;
    const [start, stop] = [Math.max(offset, headEnd), Math.min(end, tailStart)];
    if (start < stop) yield* this.#fetch(start, stop, signal);
    const from = Math.max(start, tailStart);
    if (from < end) yield tail.subarray(from - tailStart, end - tailStart);
  }

  async *#fetch(start: number, end: number, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array, void, void> {
    const attempts = new Retries(this.#options);
    let since = start;
    for (let at = start; at < end; ) {
      try {
        const answer = await ask(this.name, { offset: at, length: end - at }, this.#options, signal);
        const stop = this.#check(answer, at, end);
        let next = answer.status === 200 ? 0 : answer.range!.start;
        for await (const chunk of answer.body()) {
          const wanted = chunk.subarray(Math.max(0, at - next), Math.max(0, end - next));
          next += chunk.byteLength;
          at += wanted.byteLength;
          if (wanted.byteLength > 0) yield wanted;
          // Does not wait for surplus bytes.
          if (at === end && stop > end) return;
        }
        if (at < Math.min(stop, end)) throw brokenOff(this.name);
      } catch (problem) {
        if (at - since >= FORGIVEN_AFTER) attempts.forgive();
        since = at;
        await attempts.again(problem, signal);
      }
    }
  }

  /**
   * Returns where the bytes of a response end. Throws unless they belong to this file and include the next wanted byte.
   */
  #check(answer: Answer, at: number, end: number): number {
    const { status, range, headers } = answer;
    const problem = ((): Error | undefined => {
      if (status === 416) return changed(this.name);
      if (status !== 200 && status !== 206) return refusedBy(this.name, status);
      if (!isSameVersion(this.#version, versionOf(headers))) return changed(this.name);
      if (status === 200) return undefined;
      if (range?.total !== this.size) {
        return range === undefined
          ? ioError(this.name, "the server did not answer a Range request with a range")
          : changed(this.name);
      }
      if (range.start <= at && at < range.end) return undefined;
      const what = `the server sent bytes ${range.start} to ${range.end} instead of ${at} to ${end}`;
      return ioError(this.name, what);
    })();
    if (problem === undefined) return status === 200 ? this.size : range!.end;
    answer.cancel();
    throw problem;
  }
}
