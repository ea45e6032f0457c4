import { allocate } from "./allocate.ts";

/** Bytes that are freed at once when they were taken. */
const PIECE = 4 * 2 ** 20;
/** Behind the data of an entry there is at most so much that was asked for because its place was foreseen. */
const SLACK = 256;

/** A read that waits for bytes of a range. */
interface Waiting {
  readonly start: number;
  readonly end: number;
  resolve(bytes: Uint8Array): void;
  reject(reason: unknown): void;
}

/** A range whose bytes are on their way. It is read once, from its beginning to its end. Offsets count from its start. */
export class ComingRange {
  readonly offset: number;
  readonly length: number;
  readonly #where: string;
  readonly #onRelease: (bytes: number) => void;
  /** Undefined before its first byte came, null when all of it was taken. */
  readonly #pieces: (Uint8Array<ArrayBuffer> | null | undefined)[];
  #waiting: Waiting[] = [];
  #arrived = 0;
  #released = 0;

  /** `onRelease` is told bytes that came and need not be kept any more. */
  constructor(offset: number, length: number, where: string, onRelease: (bytes: number) => void) {
    this.offset = offset;
    this.length = length;
    this.#where = where;
    this.#onRelease = onRelease;
    this.#pieces = new Array(Math.ceil(length / PIECE)).fill(undefined);
  }

  get isComplete(): boolean {
    return this.#arrived === this.length;
  }

  /** Whether nobody will read more of it. */
  get isTaken(): boolean {
    return this.#released === this.length;
  }

  get isAwaited(): boolean {
    return this.#waiting.length > 0;
  }

  /** Whether a part of it can still be had. */
  has(start: number, end: number): boolean {
    return start >= this.#released && end <= this.length;
  }

  take(start: number, end: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ start, end, resolve, reject });
      this.deliver();
    });
  }

  /** Takes what of a chunk belongs here; returns how many bytes are to be kept. `at` is where the chunk lies in the file. */
  receive(chunk: Uint8Array, at: number): number {
    const from = this.offset + this.#arrived - at;
    if (from < 0 || from >= chunk.byteLength || this.isComplete) return 0;
    const bytes = chunk.subarray(from, Math.min(chunk.byteLength, from + this.length - this.#arrived));
    if (this.isTaken) {
      this.#arrived += bytes.byteLength;
      return 0;
    }
    for (let done = 0; done < bytes.byteLength; ) {
      const index = Math.floor(this.#arrived / PIECE);
      const inPiece = this.#arrived - index * PIECE;
      this.#pieces[index] ??= allocate(Math.min(PIECE, this.length - index * PIECE), this.#where);
      const piece = this.#pieces[index];
      const count = Math.min(bytes.byteLength - done, piece.byteLength - inPiece);
      piece.set(bytes.subarray(done, done + count), inPiece);
      this.#arrived += count;
      done += count;
    }
    return bytes.byteLength;
  }

  fail(reason: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
    this.#release(this.length);
  }

  /** Gives those who wait what has come; to be called when the bytes that came are counted. */
  deliver(): void {
    const ready = this.#waiting.filter(({ end }) => end <= this.#arrived);
    if (ready.length === 0) return;
    this.#waiting = this.#waiting.filter(({ end }) => end > this.#arrived);
    for (const { start, end, resolve } of ready) resolve(this.#bytes(start, end));
    const last = Math.max(...ready.map(({ end }) => end));
    const needed = Math.min(...this.#waiting.map(({ start }) => start));
    this.#release(Math.min(last >= this.length - SLACK ? this.length : last, needed));
  }

  #bytes(start: number, end: number): Uint8Array {
    const [first, last] = [Math.floor(start / PIECE), Math.ceil(end / PIECE)];
    if (last - first <= 1)
      return (this.#pieces[first] ?? new Uint8Array(0)).subarray(start - first * PIECE, end - first * PIECE);
    const bytes = allocate(end - start, this.#where);
    for (let index = first; index < last; index++) {
      const at = index * PIECE;
      const piece = this.#pieces[index]!.subarray(Math.max(0, start - at), end - at);
      bytes.set(piece, Math.max(0, at - start));
    }
    return bytes;
  }

  #release(end: number): void {
    const kept = (released: number): number => Math.max(0, this.#arrived - released);
    const before = kept(this.#released);
    const first = Math.floor(this.#released / PIECE);
    this.#released = Math.max(this.#released, end);
    const behind = this.#released === this.length ? this.#pieces.length : Math.floor(this.#released / PIECE);
    for (let index = first; index < behind; index++) this.#pieces[index] = null;
    this.#onRelease(before - kept(this.#released));
  }
}
