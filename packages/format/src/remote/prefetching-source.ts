import { onAbort } from "../abort/on-abort.ts";
import { unlessAborted } from "../abort/unless-aborted.ts";
import { type ByteSource, checkRange, deliver, type ReadOptions } from "../byte-source.ts";
import { formatError } from "../format-errors.ts";
import type { ByteRange } from "./byte-range.ts";
import { LANES, segmentsOf } from "./group-ranges.ts";
import { ComingRange } from "./streamed-range.ts";

/** Bytes that may be buffered before they are read. A read that waits for bytes behind them gets these all the same. */
const AHEAD = 8 * 2 ** 20;

/** Bytes of a range as they come, in one request. */
export type StreamRange = (range: ByteRange, signal: AbortSignal) => AsyncGenerator<Uint8Array, void, void>;

/** A source that reads what it was told to expect by a few long requests, and all else as `source` does. */
export function expecting(source: ByteSource, stream: StreamRange): ByteSource {
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

/** Ranges of one request. */
interface Segment {
  readonly ranges: readonly ComingRange[];
  readonly controller: AbortController;
  started: boolean;
}

/** Why a segment was given up by its own side: who waits for it reads for itself. */
const GIVEN_UP = new Error("nobody expects these bytes any more");

/** What is on its way. */
class Downloads {
  readonly #stream: StreamRange;
  readonly #where: string;
  readonly #segments = new Set<Segment>();
  #queue: Segment[] = [];
  #underWay = 0;
  /** Bytes that are buffered. */
  #held = 0;
  #moved = (): void => {};
  #move: Promise<void> = Promise.resolve();

  constructor(stream: StreamRange, where: string) {
    this.#stream = stream;
    this.#where = where;
    this.#awake();
  }

  /** Begins to read ranges; what is on its way already is not read twice. Returns how to give up what nobody took. */
  expect(ranges: readonly ByteRange[], signal: AbortSignal | undefined): () => void {
    signal?.throwIfAborted();
    const onRelease = (bytes: number): void => {
      this.#held -= bytes;
      if (bytes > 0) this.#awake();
    };
    const unknown = ranges.filter(({ offset, length }) => length > 0 && this.#find(offset, length) === undefined);
    const segments = segmentsOf(unknown).map(
      (parts): Segment => ({
        ranges: parts.map(({ offset, length }) => new ComingRange(offset, length, this.#where, onRelease)),
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

  /** Bytes that are on their way; undefined when they are not. */
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
    const closed = formatError("format.closed", { what: "the file was closed", where: this.#where });
    this.#end([...this.#segments], closed);
  }

  #find(offset: number, length: number): { readonly segment: Segment; readonly range: ComingRange } | undefined {
    for (const segment of this.#segments) {
      const range = firstFrom(segment.ranges, offset, length);
      if (range !== undefined) return { segment, range };
    }
    return undefined;
  }

  #advance(): void {
    while (this.#underWay < LANES && this.#queue.length > 0) this.#start(this.#queue.shift()!);
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
    // There may be more of them than a call takes arguments.
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

  /** Ends requests and forgets what came. */
  #end(segments: readonly Segment[], reason: unknown): void {
    for (const segment of segments) {
      if (!this.#segments.delete(segment)) continue;
      this.#queue = this.#queue.filter((other) => other !== segment);
      segment.controller.abort(reason);
      for (const range of segment.ranges) range.fail(reason);
    }
  }

  /** Those who wait for room, or for somebody to need them, look again. */
  #awake(): void {
    this.#moved();
    this.#move = new Promise((resolve) => {
      this.#moved = resolve;
    });
  }
}

/** The range that a read lies in; they overlap by a few bytes at most. */
function firstFrom(ranges: readonly ComingRange[], offset: number, length: number): ComingRange | undefined {
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
