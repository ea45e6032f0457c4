import type { Constant as DeviceConstant } from "@pt2/engine";

type Constant = DeviceConstant<number>;

/**
 * The number of reads under way at a time: a page cache and a server both answer several sooner than one after the
 * other.
 */
const MOST_READS = 16;
/** The bytes of records that were read and still wait to be packed into other memory. */
const MOST_WAITING = 64 * 2 ** 20;

/**
 * Reads weight records before they are needed. Memory must not grow while reads are under way, as that detaches the
 * arrays they write to: reserve what is needed first.
 */
export class ReadAhead {
  readonly #started = new Set<Constant>();
  readonly #underWay = new Set<Promise<void>>();
  #queue: Constant[] = [];
  /** The bytes of the records that were read, including those that were used since they were last counted. */
  #waiting = 0;
  #mostWaiting = 0;
  #mostReads = MOST_READS;

  /** Reads these next, in order; `advance` continues as waiting ones are used. */
  start(records: Iterable<Constant>, mostWaiting: number = MOST_WAITING): void {
    // A record that is resident now may be packed and freed when its turn comes, and is not to be read again.
    this.#queue = [...records].filter(({ resident }) => !resident);
    this.#mostWaiting = mostWaiting;
    this.#mostReads = MOST_READS;
    this.advance();
  }

  /** Starts all of these reads now: while this thread is busy, it cannot start the next ones. */
  startAll(records: Iterable<Constant>): void {
    this.#queue = [...records];
    this.#mostWaiting = Number.POSITIVE_INFINITY;
    this.#mostReads = Number.POSITIVE_INFINITY;
    this.advance();
  }

  /** Starts the reads that may start now. */
  advance(): void {
    while (this.#queue.length > 0 && this.#underWay.size < this.#mostReads && this.#hasRoom()) {
      const record = this.#queue.shift()!;
      if (record.resident) continue;
      this.#started.add(record);
      // The plan that needs the record reports the failure; here it only ends the read.
      const read = record.load().catch(() => {});
      this.#underWay.add(read);
      void read.then(() => {
        this.#underWay.delete(read);
        this.#waiting += record.bytes;
        this.advance();
      });
    }
  }

  /** Starts nothing more, and waits for the reads under way. */
  async stop(): Promise<void> {
    this.#queue = [];
    await Promise.all(this.#underWay);
  }

  /** Frees records that were read and turned out not to be needed. */
  dropUnused(): void {
    for (const record of this.#started) if (record.pins === 0) record.unload();
    this.#started.clear();
    this.#waiting = 0;
  }

  /** Whether another record may be read. Which of them still wait is counted only when all together are too many. */
  #hasRoom(): boolean {
    if (this.#waiting >= this.#mostWaiting) {
      this.#waiting = 0;
      for (const record of this.#started) if (record.resident && record.pins === 0) this.#waiting += record.bytes;
    }
    return this.#waiting < this.#mostWaiting;
  }
}
