/** Reads WebAssembly from its binary format, instruction by instruction. */
export class WasmReader {
  at: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  byte(): number {
    return this.#bytes[this.at++]!;
  }

  /** The next bytes, which stay those of the module. */
  take(count: number): Uint8Array {
    this.at += count;
    return this.#bytes.subarray(this.at - count, this.at);
  }

  /** An unsigned number in LEB128. */
  u32(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  /** As many items as the number before them says. */
  vector<T>(item: () => T): readonly T[] {
    return Array.from({ length: this.u32() }, item);
  }

  /** Reads an instruction, and returns its opcode: of one with a prefix, that and its number. */
  instruction(): Opcode {
    const first = this.byte();
    if (first < 0xfc) {
      this.#immediates(first);
      return [first, 0];
    }
    const number = this.u32();
    if (first === 0xfd) this.#vectorImmediates(number);
    else if (first === 0xfc && number <= 11) this.#memoryImmediates(number);
    else throw new Error(`opcode ${first.toString(16)} ${number} is not known here`);
    return [first, number];
  }

  #immediates(op: number): void {
    if (op === 0x0e) {
      this.vector(() => this.u32());
      this.u32();
    } else if (op === 0x1c) this.vector(() => this.byte());
    else if (op === 0x43) this.take(4);
    else if (op === 0x44) this.take(8);
    else if (op >= 0x28 && op <= 0x3e) this.#memoryArgument();
    else if (op === 0x11) {
      this.u32();
      this.u32();
    } else if (ONE_NUMBER.has(op)) this.u32();
    else if (!NOTHING.has(op) && (op < 0x45 || op > 0xc4))
      throw new Error(`opcode ${op.toString(16)} is not known here`);
  }

  #vectorImmediates(number: number): void {
    if (number <= 11 || number === 92 || number === 93) this.#memoryArgument();
    else if (number <= 13) this.take(16);
    else if (number >= 21 && number <= 34) this.take(1);
    else if (number >= 84 && number <= 91) {
      this.#memoryArgument();
      this.take(1);
    }
  }

  /** Of conversions there are none, of what initializes, copies and fills memory one byte for each memory. */
  #memoryImmediates(number: number): void {
    if (number === 8 || number === 9) this.u32();
    if (number === 8 || number === 11) this.take(1);
    if (number === 10) this.take(2);
  }

  #memoryArgument(): void {
    this.u32();
    this.u32();
  }
}

/** The first byte of an instruction, and its number behind a prefix or 0. */
export type Opcode = readonly [byte: number, number: number];

/**
 * block, loop, if, br, br_if, call, those of locals and globals, memory.size, memory.grow, i32.const and i64.const, which take a
 * number in LEB128 each; signed ones are as long.
 */
const ONE_NUMBER: ReadonlySet<number> = new Set([
  ...[0x02, 0x03, 0x04, 0x0c, 0x0d, 0x10],
  ...[0x20, 0x21, 0x22, 0x23, 0x24],
  ...[0x3f, 0x40, 0x41, 0x42],
]);

/** unreachable, nop, else, end, return, drop and select, which take nothing, as arithmetic from 0x45 to 0xc4. */
const NOTHING: ReadonlySet<number> = new Set([0x00, 0x01, 0x05, 0x0b, 0x0f, 0x1a, 0x1b]);
