import type { ByteSource, ReadOptions } from "../byte-source.ts";

/** An entry whose place in the file is foreseen: its header, and right behind it the data. */
export interface Foreseen {
  readonly headerOffset: number;
  readonly dataOffset: number;
  readonly into: Uint8Array;
}

interface Wanted extends Foreseen {
  readonly signal: AbortSignal | undefined;
  resolve(header: Uint8Array): void;
  reject(reason: unknown): void;
}

/** One read over several entries and what lies between them. */
interface Stretch {
  readonly start: number;
  readonly signal: AbortSignal | undefined;
  readonly buffers: Uint8Array[];
  readonly entries: { readonly entry: Wanted; readonly header: Uint8Array }[];
  end: number;
}

/** Records that are further apart are not worth reading what is between. */
const LARGEST_GAP = 2 ** 16;
/** Long enough that threads stay busy while the caller's is, short enough to let an abort and progress through. */
const LONGEST_STRETCH = 256 * 2 ** 20;
/** Systems take 1024 buffers at once; an entry adds up to three. */
const MOST_BUFFERS = 1020;
/** Stretches under way at a time: more threads would only take time from the one that asks. */
const LANES = 2;

/** Collects the reads that are asked for in one turn: neighbours in the file become one read with many destinations. */
export class ReadBatch {
  readonly #scatter: NonNullable<ByteSource["scatter"]>;
  readonly #stretches: Stretch[] = [];
  #wanted: Wanted[] = [];
  #underWay = 0;

  constructor(scatter: NonNullable<ByteSource["scatter"]>) {
    this.#scatter = scatter;
  }

  /** Reads an entry's data; returns the header before it, which tells whether that was its place. */
  read(entry: Foreseen, { signal }: ReadOptions): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (this.#wanted.push({ ...entry, signal, resolve, reject }) > 1) return;
      queueMicrotask(() => {
        this.#stretches.push(...stretchesOf(this.#wanted));
        this.#wanted = [];
        this.#advance();
      });
    });
  }

  #advance(): void {
    while (this.#underWay < LANES && this.#stretches.length > 0) {
      this.#underWay++;
      void this.#run(this.#stretches.shift()!).then(() => {
        this.#underWay--;
        this.#advance();
      });
    }
  }

  async #run({ start, buffers, signal, entries }: Stretch): Promise<void> {
    try {
      await this.#scatter(start, buffers, { signal });
      for (const { entry, header } of entries) entry.resolve(header);
    } catch (reason) {
      for (const { entry } of entries) entry.reject(reason);
    }
  }
}

function stretchesOf(wanted: readonly Wanted[]): Stretch[] {
  const stretches: Stretch[] = [];
  const bytes = wanted.reduce((sum, { into }) => sum + into.byteLength, 0);
  // Of one length, so that no lane is left with the last one.
  const length = bytes / LANES / Math.ceil(bytes / LANES / LONGEST_STRETCH);
  for (const entry of [...wanted].sort((a, b) => a.headerOffset - b.headerOffset)) {
    let stretch = stretches.at(-1);
    if (stretch === undefined || !continues(stretch, entry, length)) {
      stretch = {
        start: entry.headerOffset,
        end: entry.headerOffset,
        signal: entry.signal,
        buffers: [],
        entries: [],
      };
      stretches.push(stretch);
    }
    const gap = entry.headerOffset - stretch.end;
    const header = new Uint8Array(entry.dataOffset - entry.headerOffset);
    if (gap > 0) stretch.buffers.push(new Uint8Array(gap));
    stretch.buffers.push(header, entry.into);
    stretch.entries.push({ entry, header });
    stretch.end = entry.dataOffset + entry.into.byteLength;
  }
  return stretches;
}

function continues({ start, end, buffers, signal }: Stretch, entry: Wanted, length: number): boolean {
  const gap = entry.headerOffset - end;
  // An entry that is read twice begins before the end.
  if (gap < 0 || gap > LARGEST_GAP || entry.signal !== signal) return false;
  return end - start < length && buffers.length <= MOST_BUFFERS;
}
