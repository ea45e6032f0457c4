import { onAbort } from "../abort/on-abort.ts";
import { unlessAborted } from "../abort/unless-aborted.ts";
import { type ByteSource, checkRange, deliver, type ReadOptions } from "../byte-source.ts";
import { formatError } from "../format-errors.ts";
import type { ByteRange } from "./byte-range.ts";
import { CONCURRENT_REQUESTS, groupRanges } from "./group-ranges.ts";
import { StreamedRange } from "./streamed-range.ts";

/** The bytes that may be buffered before they are read. A read that waits for later bytes may exceed it. */
const AHEAD = 8 * 2 ** 20;

/** Streams the bytes of a range from one request. */
export type StreamRange = (range: ByteRange, signal: AbortSignal) => AsyncGenerator<Uint8Array, void, void>;

/** Creates a source that fetches announced ranges in a few long requests, and reads all else from `source`. */
export function prefetchingSource(source: ByteSource, stream: StreamRange): ByteSource {
  const downloads = new Downloads(stream, source.name ?? "file");
  return {
    size: source.size,
    isRemote: true,
    ...(source.name !== undefined && { name: source.name }),
    async read(offset: number, length: number, options?: ReadOptions): Promise<Uint8Array> {
      checkRange(this, offset, length, options);
      const bytes = await downloads.take(offset, length, options?.signal);
      return bytes === undefined ? await source.read(offset, length, options) : deliver(bytes, options);
    },
    expect: (ranges, options) => downloads.expect(ranges, options?.signal),
    async close() {
      downloads.close();
      await source.close?.();
    },
  };
}

/** The ranges of one request. */
interface Segment {
  readonly ranges: readonly StreamedRange[];
  readonly controller: AbortController;
  started: boolean;
}

/** The reason of a segment that was canceled by its own side: its readers then read from the source. */
const GIVEN_UP = new Error("the announced reads were canceled");

/** Manages the requests in flight. */
class Downloads {
  readonly #stream: StreamRange;
  readonly #where: string;
  readonly #segments = new Set<Segment>();
  #queue: Segment[] = [];
  #underWay = 0;
  /** The number of buffered bytes. */
  #held = 0;
  #moved = (): void => {};
  #move: Promise<void> = Promise.resolve();

  constructor(stream: StreamRange, where: string) {
    this.#stream = stream;
    this.#where = where;
    this.#awake();
  }

  /** Starts to fetch ranges, except those in flight. Returns a function that cancels what was not read. */
  expect(ranges: readonly ByteRange[], signal: AbortSignal | undefined): () => void {
    signal?.throwIfAborted();
    const onRelease = (bytes: number): void => {
      this.#held -= bytes;
      if (bytes > 0) this.#awake();
    };
    const unknown = ranges.filter(({ offset, length }) => length > 0 && this.#find(offset, length) === undefined);
    const segments = groupRanges(unknown).map(
      (parts): Segment => ({
        ranges: parts.map(({ offset, length }) => new StreamedRange(offset, length, this.#where, onRelease)),
        controller: new AbortController(),
        started: false,
      }),
    );
    for (const segment of segments) {
      this.#segments.add(segment);
      this.#queue.push(segment);
    }
    const leave = onAbort(signal, () => this.#end(segments, signal!.reason));
    this.#advance();
    return () => {
      leave();
      this.#end(segments, GIVEN_UP);
    };
  }

  /** Returns bytes that are in flight, or undefined. */
  async take(offset: number, length: number, signal: AbortSignal | undefined): Promise<Uint8Array | undefined> {
    const found = length === 0 ? undefined : this.#find(offset, length);
    if (found === undefined) return undefined;
    const { segment, range } = found;
    const start = offset - range.offset;
    const taken = range.take(start, start + length);
    if (!segment.started) {
      this.#queue = this.#queue.filter((other) => other !== segment);
      this.#start(segment);
    }
    this.#awake();
    try {
      return await unlessAborted(taken, signal);
    } catch (problem) {
      if (problem === GIVEN_UP) return undefined;
      throw problem;
    }
  }

  close(): void {
    const closed = formatError("format.closed", { what: "the file was closed while it was read", where: this.#where });
    this.#end([...this.#segments], closed);
  }

  #find(offset: number, length: number): { readonly segment: Segment; readonly range: StreamedRange } | undefined {
    for (const segment of this.#segments) {
      const range = firstFrom(segment.ranges, offset, length);
      if (range !== undefined) return { segment, range };
    }
    return undefined;
  }

  #advance(): void {
    while (this.#underWay < CONCURRENT_REQUESTS && this.#queue.length > 0) this.#start(this.#queue.shift()!);
  }

  #start(segment: Segment): void {
    segment.started = true;
    this.#underWay++;
    void this.#run(segment).then(() => {
      this.#underWay--;
      this.#advance();
    });
  }

  async #run(segment: Segment): Promise<void> {
    const { ranges, controller } = segment;
    const { signal } = controller;
    const { offset } = ranges[0]!;
    // A loop, since there may be more ranges than a call takes arguments.
    const end = ranges.reduce((farthest, range) => Math.max(farthest, range.offset + range.length), 0);
    try {
      let at = offset;
      let first = 0;
      for await (const chunk of this.#stream({ offset, length: end - offset }, signal)) {
        for (let i = first; i < ranges.length && ranges[i]!.offset < at + chunk.byteLength; i++) {
          this.#held += ranges[i]!.receive(chunk, at);
          ranges[i]!.deliver();
        }
        at += chunk.byteLength;
        while (first < ranges.length && ranges[first]!.isComplete) first++;
        while (this.#held >= AHEAD && !ranges.some(({ isAwaited }) => isAwaited)) {
          await unlessAborted(this.#move, signal);
        }
      }
      if (ranges.every(({ isTaken }) => isTaken)) this.#segments.delete(segment);
    } catch (problem) {
      this.#end([segment], problem);
    }
  }

  /** Cancels requests and drops their bytes. */
  #end(segments: readonly Segment[], reason: unknown): void {
    for (const segment of segments) {
      if (!this.#segments.delete(segment)) continue;
      this.#queue = this.#queue.filter((other) => other !== segment);
      segment.controller.abort(reason);
      for (const range of segment.ranges) range.fail(reason);
    }
  }

  /** Wakes the requests that wait for buffer space or for a reader. */
  #awake(): void {
    this.#moved();
    this.#move = new Promise((resolve) => {
      this.#moved = resolve;
    });
  }
}

/** Finds the range that contains a read; ranges overlap by a few bytes at most. */
function firstFrom(ranges: readonly StreamedRange[], offset: number, length: number): StreamedRange | undefined {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle]!.offset <= offset) low = middle + 1;
    else high = middle;
  }
  for (const range of ranges.slice(Math.max(0, low - 2), low).reverse()) {
    const start = offset - range.offset;
    if (!range.isTaken && range.has(start, start + length)) return range;
  }
  return undefined;
}
