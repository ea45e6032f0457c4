import { pickleError } from "./pickle-items.ts";

/** The longest accepted integer in bytes: Python's ints in tensors' metadata are 64-bit. */
const LONG_BYTES = 64;

/** Reads little-endian fields of a pickle, with bounds checks. */
export class PickleReader {
  at = 0;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u8(): number {
    return this.#view.getUint8(this.skip(1));
  }

  u16(): number {
    return this.#view.getUint16(this.skip(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.skip(4), true);
  }

  i32(): number {
    return this.#view.getInt32(this.skip(4), true);
  }

  /** Reads a length; one beyond 2^53 is beyond the end of any file. */
  u64(): number {
    return Number(this.#view.getBigUint64(this.skip(8), true));
  }

  /** Reads pickle's only big-endian field. */
  f64(): number {
    return this.#view.getFloat64(this.skip(8));
  }

  /** Reads a two's complement integer of `length` bytes. */
  long(length: number): bigint {
    if (length > LONG_BYTES) throw pickleError(`an integer of ${length} bytes is not supported`);
    let value = 0n;
    for (const byte of this.bytes(length).toReversed()) value = (value << 8n) | BigInt(byte);
    return BigInt.asIntN(8 * length, value);
  }

  bytes(length: number): Uint8Array {
    const start = this.skip(length);
    return this.#bytes.subarray(start, start + length);
  }

  utf8(length: number): string {
    return new TextDecoder().decode(this.bytes(length));
  }

  line(): string {
    const end = this.#bytes.indexOf(0x0a, this.at);
    if (end < 0) throw pickleError("it ends within a name");
    const line = this.utf8(end - this.at);
    this.at = end + 1;
    return line;
  }

  /** Advances, and returns the old position. */
  skip(length: number): number {
    const start = this.at;
    if (!(start + length <= this.#bytes.byteLength)) throw pickleError("it ends before its STOP");
    this.at += length;
    return start;
  }
}
