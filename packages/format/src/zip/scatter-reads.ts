import type { ByteSource, ReadOptions } from "../byte-source.ts";

/** An entry whose data offset is predicted: its header is directly before the data. */
export interface PredictedEntry {
  readonly headerOffset: number;
  readonly dataOffset: number;
  readonly into: Uint8Array;
}

interface Wanted extends PredictedEntry {
  readonly signal: AbortSignal | undefined;
  resolve(header: Uint8Array): void;
  reject(reason: unknown): void;
}

/** One read over several entries and the gaps between them. */
interface ScatterRead {
  readonly start: number;
  readonly signal: AbortSignal | undefined;
  readonly buffers: Uint8Array[];
  readonly entries: { readonly entry: Wanted; readonly header: Uint8Array }[];
  end: number;
}

/** A larger gap between entries starts a new read. */
const LARGEST_GAP = 2 ** 16;
/** Long enough that I/O threads stay busy while the main thread is, short enough for aborts and progress. */
const LONGEST_READ = 256 * 2 ** 20;
/** Systems take 1024 buffers per call; an entry adds up to three. */
const MOST_BUFFERS = 1020;
/** The number of reads in flight: more threads would only take time from the main thread. */
const CONCURRENT_READS = 2;

/** Collects the reads of one microtask: neighbors in the file become one read with many destinations. */
export class ScatterReads {
  readonly #scatter: NonNullable<ByteSource["scatter"]>;
  readonly #scatterReads: ScatterRead[] = [];
  #wanted: Wanted[] = [];
  #underWay = 0;

  constructor(scatter: NonNullable<ByteSource["scatter"]>) {
    this.#scatter = scatter;
  }

  /** Reads an entry's data; returns the header before it, which shows whether the predicted offset was right. */
  read(entry: PredictedEntry, { signal }: ReadOptions): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (this.#wanted.push({ ...entry, signal, resolve, reject }) > 1) return;
      queueMicrotask(() => {
        this.#scatterReads.push(...scatterReadsOf(this.#wanted));
        this.#wanted = [];
        this.#advance();
      });
    });
  }

  #advance(): void {
    while (this.#underWay < CONCURRENT_READS && this.#scatterReads.length > 0) {
      this.#underWay++;
      void this.#run(this.#scatterReads.shift()!).then(() => {
        this.#underWay--;
        this.#advance();
      });
    }
  }

  async #run({ start, buffers, signal, entries }: ScatterRead): Promise<void> {
    try {
      await this.#scatter(start, buffers, { signal });
      for (const { entry, header } of entries) entry.resolve(header);
    } catch (reason) {
      for (const { entry } of entries) entry.reject(reason);
    }
  }
}

function scatterReadsOf(wanted: readonly Wanted[]): ScatterRead[] {
  const scatterReads: ScatterRead[] = [];
  const bytes = wanted.reduce((sum, { into }) => sum + into.byteLength, 0);
  // Of equal length, so that the reads end together.
  const length = bytes / CONCURRENT_READS / Math.ceil(bytes / CONCURRENT_READS / LONGEST_READ);
  for (const entry of [...wanted].sort((a, b) => a.headerOffset - b.headerOffset)) {
    let scatterRead = scatterReads.at(-1);
    if (scatterRead === undefined || !continues(scatterRead, entry, length)) {
      scatterRead = {
        start: entry.headerOffset,
        end: entry.headerOffset,
        signal: entry.signal,
        buffers: [],
        entries: [],
      };
      scatterReads.push(scatterRead);
    }
    const gap = entry.headerOffset - scatterRead.end;
    const header = new Uint8Array(entry.dataOffset - entry.headerOffset);
    if (gap > 0) scatterRead.buffers.push(new Uint8Array(gap));
    scatterRead.buffers.push(header, entry.into);
    scatterRead.entries.push({ entry, header });
    scatterRead.end = entry.dataOffset + entry.into.byteLength;
  }
  return scatterReads;
}

function continues({ start, end, buffers, signal }: ScatterRead, entry: Wanted, length: number): boolean {
  const gap = entry.headerOffset - end;
  // An entry that is read twice begins before the end.
  if (gap < 0 || gap > LARGEST_GAP || entry.signal !== signal) return false;
  return end - start < length && buffers.length <= MOST_BUFFERS;
}
