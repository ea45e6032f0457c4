import { PlacedBuffers } from "./placed-buffers.ts";

/** The most buffers that a block holds; a block with more is cut in two. */
const MOST = 256;

/**
 * Placed buffers that are neighbors by address, with summaries that show without a look at each buffer that none or
 * all of them are in the way.
 */
class Block {
  readonly rows: PlacedBuffers = new PlacedBuffers(MOST);
  count = 0;
  leastFrom = Number.POSITIVE_INFINITY;
  mostFrom = Number.NEGATIVE_INFINITY;
  leastTo = Number.POSITIVE_INFINITY;
  mostTo = Number.NEGATIVE_INFINITY;
  /** The end of the buffer that reaches farthest. */
  end = 0;
  /** The largest gap between two of them; null until it is computed after the last insertion. */
  #gap: number | null = null;

  get gap(): number {
    this.#gap ??= this.#largestGap();
    return this.#gap;
  }

  insert(row: number, start: number, end: number, from: number, to: number): void {
    this.rows.insert(row, this.count++);
    this.rows.set(row, start, end, from, to);
    this.#summarize(end, from, to);
  }

  /** Splits its rows into two blocks. */
  halves(): readonly [Block, Block] {
    const half = this.count >> 1;
    return [this.#part(0, half), this.#part(half, this.count)];
  }

  #part(begin: number, end: number): Block {
    const part = new Block();
    part.rows.copy(this.rows, begin, end);
    part.count = end - begin;
    for (let row = 0; row < part.count; row++) {
      part.#summarize(part.rows.end[row]!, part.rows.from[row]!, part.rows.to[row]!);
    }
    return part;
  }

  #summarize(end: number, from: number, to: number): void {
    this.leastFrom = Math.min(this.leastFrom, from);
    this.mostFrom = Math.max(this.mostFrom, from);
    this.leastTo = Math.min(this.leastTo, to);
    this.mostTo = Math.max(this.mostTo, to);
    this.end = Math.max(this.end, end);
    this.#gap = null;
  }

  #largestGap(): number {
    const { start, end } = this.rows;
    let [gap, reached] = [0, end[0]!];
    for (let row = 1; row < this.count; row++) {
      gap = Math.max(gap, start[row]! - reached);
      reached = Math.max(reached, end[row]!);
    }
    return gap;
  }
}

/**
 * Keeps placed buffers in the order of their addresses. A search skips blocks in which no buffer or every buffer is in
 * the way.
 */
export class AddressBlocks {
  readonly #blocks: Block[] = [new Block()];

  /**
   * Returns the lowest address at which `size` bytes are free from the beginning `from` to the beginning `to`, both
   * inclusive.
   */
  lowestGap(size: number, from: number, to: number): number {
    let address = 0;
    for (const block of this.#blocks) {
      if (block.mostTo < from || to < block.leastFrom) continue;
      if (block.mostFrom <= to && from <= block.leastTo) {
        if (address + size <= block.rows.start[0]!) return address;
        if (block.gap < size) {
          address = Math.max(address, block.end);
          continue;
        }
      }
      const { start, end, from: begins, to: ends } = block.rows;
      for (let row = 0; row < block.count; row++) {
        if (ends[row]! < from || to < begins[row]!) continue;
        if (address + size <= start[row]!) return address;
        if (end[row]! > address) address = end[row]!;
      }
    }
    return address;
  }

  add(start: number, end: number, from: number, to: number): void {
    const blocks = this.#blocks;
    // The last block that begins at or before the buffer; the first block takes what lies before all blocks.
    const at = Math.max(0, upperBound(blocks.length, (i) => blocks[i]!.rows.start[0]!, start) - 1);
    const block = blocks[at]!;
    block.insert(
      upperBound(block.count, (row) => block.rows.start[row]!, start),
      start,
      end,
      from,
      to,
    );
    if (block.count === MOST) blocks.splice(at, 1, ...block.halves());
  }
}

/** Returns how many of `count` ascending keys are at most `key`. */
export function upperBound(count: number, keyAt: (index: number) => number, key: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keyAt(middle) <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
