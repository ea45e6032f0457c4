import { allocate } from "./allocate.ts";

/** The unit in which bytes are freed after they were read. */
const PIECE_BYTES = 4 * 2 ** 20;
/** An entry's announced range exceeds its data by at most this many bytes, as the place of the data is estimated. */
const SLACK = 256;

/** A read that waits for bytes of a range. */
interface Waiting {
  readonly start: number;
  readonly end: number;
  resolve(bytes: Uint8Array): void;
  reject(reason: unknown): void;
}

/**
 * A range whose bytes are in flight. It is read once, from its beginning to its end. Offsets are relative to its start.
 */
export class StreamedRange {
  readonly offset: number;
  readonly length: number;
  readonly #where: string;
  readonly #onRelease: (bytes: number) => void;
  /** Undefined before its first byte came, null after all of it was read. */
  readonly #pieces: (Uint8Array<ArrayBuffer> | null | undefined)[];
  #waiting: Waiting[] = [];
  #arrived = 0;
  #released = 0;

  /** `onRelease` gets the number of received bytes that need not be kept any more. */
  constructor(offset: number, length: number, where: string, onRelease: (bytes: number) => void) {
    this.offset = offset;
    this.length = length;
    this.#where = where;
    this.#onRelease = onRelease;
    this.#pieces = new Array(Math.ceil(length / PIECE_BYTES)).fill(undefined);
  }

  get isComplete(): boolean {
    return this.#arrived === this.length;
  }

  /** Whether all of it was read or dropped. */
  get isTaken(): boolean {
    return this.#released === this.length;
  }

  get isAwaited(): boolean {
    return this.#waiting.length > 0;
  }

  /** Whether bytes can still be read. */
  has(start: number, end: number): boolean {
    return start >= this.#released && end <= this.length;
  }

  take(start: number, end: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ start, end, resolve, reject });
      this.deliver();
    });
  }

  /**
   * Copies the part of a chunk that belongs here; returns the number of bytes kept. `at` is the chunk's offset in the
   * file.
   */
  receive(chunk: Uint8Array, at: number): number {
    const from = this.offset + this.#arrived - at;
    if (from < 0 || from >= chunk.byteLength || this.isComplete) return 0;
    const bytes = chunk.subarray(from, Math.min(chunk.byteLength, from + this.length - this.#arrived));
    if (this.isTaken) {
      this.#arrived += bytes.byteLength;
      return 0;
    }
    for (let done = 0; done < bytes.byteLength; ) {
      const index = Math.floor(this.#arrived / PIECE_BYTES);
      const inPiece = this.#arrived - index * PIECE_BYTES;
      this.#pieces[index] ??= allocate(Math.min(PIECE_BYTES, this.length - index * PIECE_BYTES), this.#where);
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

  /** Resolves the reads whose bytes have come; call it after these bytes were counted. */
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
    const [first, last] = [Math.floor(start / PIECE_BYTES), Math.ceil(end / PIECE_BYTES)];
    if (last - first <= 1)
      return (this.#pieces[first] ?? new Uint8Array(0)).subarray(
        start - first * PIECE_BYTES,
        end - first * PIECE_BYTES,
      );
    const bytes = allocate(end - start, this.#where);
    for (let index = first; index < last; index++) {
      const at = index * PIECE_BYTES;
      const piece = this.#pieces[index]!.subarray(Math.max(0, start - at), end - at);
      bytes.set(piece, Math.max(0, at - start));
    }
    return bytes;
  }

  #release(end: number): void {
    const kept = (released: number): number => Math.max(0, this.#arrived - released);
    const before = kept(this.#released);
    const first = Math.floor(this.#released / PIECE_BYTES);
    this.#released = Math.max(this.#released, end);
    const behind = this.#released === this.length ? this.#pieces.length : Math.floor(this.#released / PIECE_BYTES);
    for (let index = first; index < behind; index++) this.#pieces[index] = null;
    this.#onRelease(before - kept(this.#released));
  }
}
