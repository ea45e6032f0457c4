import { DTYPES, type DType } from "@pt2/format";
import type { Buffer } from "./constant.ts";
import type { Block, Heap } from "./heap.ts";

export type { Buffer } from "./constant.ts";

/** One region that all activations share; it moves when a larger plan comes. */
export class Arena {
  readonly #heap: Heap;
  #block: Block | null = null;

  constructor(heap: Heap) {
    this.#heap = heap;
  }

  get base(): number {
    return this.#block?.address ?? 0;
  }

  get bytes(): number {
    return this.#block?.bytes ?? 0;
  }

  /** Makes room for `bytes`. What the arena held is lost, so only between runs or before anything was written behind `keep`. */
  reserve(bytes: number, keep: number): void {
    if (bytes <= this.bytes) return;
    const grown = this.#heap.alloc(bytes);
    const old = this.#block;
    if (old !== null) {
      this.#heap.u8.copyWithin(grown.address, old.address, old.address + Math.min(keep, old.bytes));
      this.#heap.free(old);
    }
    this.#block = grown;
  }
}

/** A buffer in the arena, alive from step `first` to step `last` of its plan. */
export class ArenaBuffer implements Buffer {
  readonly constant = null;
  readonly bytes: number;
  readonly first: number;
  last: number;
  /** Set by the memory plan. */
  offset = 0;
  readonly #arena: Arena;

  constructor(arena: Arena, bytes: number, step: number) {
    this.#arena = arena;
    this.bytes = bytes;
    this.first = step;
    this.last = step;
  }

  address(): number {
    return this.#arena.base + this.offset;
  }
}

/** A buffer with a block of its own: a mutable buffer of the module, or a temporary of a constant computation. */
export class OwnBuffer implements Buffer {
  readonly constant = null;
  readonly bytes: number;
  readonly block: Block;

  constructor(block: Block, bytes: number) {
    this.block = block;
    this.bytes = bytes;
  }

  address(): number {
    return this.block.address;
  }
}

/** A strided tensor in memory: strides and offset count elements. */
export interface Place {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
  readonly buffer: Buffer;
}

/** How many elements of its dtype the buffer of a tensor has room for. */
export function elementsIn({ dtype, buffer }: Pick<Place, "dtype" | "buffer">): number {
  return Math.floor(buffer.bytes / DTYPES[dtype].itemsize);
}

/** Byte address of a tensor's first element, now. */
export function addressOf(place: Place): number {
  return place.buffer.address() + place.offset * DTYPES[place.dtype].itemsize;
}
