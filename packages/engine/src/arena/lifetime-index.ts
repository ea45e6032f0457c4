import { AddressBlocks, upperBound } from "./address-blocks.ts";
import { PlacedBuffers } from "./placed-buffers.ts";

/**
 * Buffers that have an address in the arena, by lifetime. Two lifetimes overlap exactly when one begins within the
 * other, so only beginnings have to be told apart: a buffer is listed under its own beginning, and in a segment tree
 * over the beginnings that it spans. Where many lifetimes overlap, all buffers are searched in the order of their
 * addresses instead.
 */
export class LifetimeIndex {
  readonly #beginnings: readonly number[];
  readonly #byBeginning: readonly number[][];
  /** Node `n` has children `2n` and `2n + 1`; leaves are the beginnings. */
  readonly #spanning: readonly number[][];
  readonly #leaves: number;
  readonly #placed: PlacedBuffers;
  readonly #byAddress = new AddressBlocks();
  #count = 0;

  /** `beginnings`: first steps of all buffers that will be placed. */
  constructor(beginnings: readonly number[]) {
    this.#placed = new PlacedBuffers(beginnings.length);
    this.#beginnings = [...new Set(beginnings)].sort((a, b) => a - b);
    this.#byBeginning = this.#beginnings.map(() => []);
    this.#leaves = 1 << Math.ceil(Math.log2(Math.max(1, this.#beginnings.length)));
    this.#spanning = Array.from({ length: 2 * this.#leaves }, () => []);
  }

  /** Returns the lowest address at which `size` bytes are free from step `first` to step `last`, both inclusive. */
  lowestGap(size: number, first: number, last: number): number {
    const [from, to] = [this.#rank(first), this.#rank(last)];
    const found = this.#meeting(from, to);
    if (found === null) return this.#byAddress.lowestGap(size, from, to);
    const { start, end, from: begins, to: ends } = this.#placed;
    let address = 0;
    for (const row of found) {
      if (ends[row]! < from || to < begins[row]!) continue;
      if (address + size <= start[row]!) break;
      if (end[row]! > address) address = end[row]!;
    }
    return address;
  }

  /** Adds a buffer that lies from `start` to `end`. */
  add(start: number, end: number, first: number, last: number): void {
    const id = this.#count++;
    const [from, to] = [this.#rank(first), this.#rank(last)];
    this.#placed.set(id, start, end, from, to);
    this.#byBeginning[from]!.push(id);
    // These are the beginnings after its own; the buffer is found under its own anyway.
    for (let a = from + 1 + this.#leaves, b = to + 1 + this.#leaves; a < b; a >>= 1, b >>= 1) {
      if (a & 1) this.#spanning[a++]!.push(id);
      if (b & 1) this.#spanning[--b]!.push(id);
    }
    this.#byAddress.add(start, end, from, to);
  }

  /** Returns the buffers that are alive at one of these beginnings, by address; null when they are too many to sort. */
  #meeting(from: number, to: number): readonly number[] | null {
    const limit = this.#count / 64;
    if (to - from > limit) return null;
    const found: number[] = [];
    for (let node = from + this.#leaves; node > 0; node >>= 1) {
      found.push(...this.#spanning[node]!.slice(0, limit + 1));
      if (found.length > limit) return null;
    }
    for (let rank = from; rank <= to; rank++) {
      found.push(...this.#byBeginning[rank]!.slice(0, limit + 1));
      if (found.length > limit) return null;
    }
    const { start } = this.#placed;
    return found.sort((a, b) => start[a]! - start[b]!);
  }

  /** Returns the position of the last beginning that is not after a step. */
  #rank(step: number): number {
    return upperBound(this.#beginnings.length, (i) => this.#beginnings[i]!, step) - 1;
  }
}
