import type { PlanMemory } from "@pt2/engine";
import type { Block, Heap } from "./heap.ts";

/** One block of memory that all activations share; it moves when a larger plan comes. */
export class Arena implements PlanMemory<number> {
  readonly #heap: Heap;
  #block: Block | null = null;

  constructor(heap: Heap) {
    this.#heap = heap;
  }

  /** Returns the current address of an offset. */
  at(offset: number): number {
    return (this.#block?.address ?? 0) + offset;
  }

  get bytes(): number {
    return this.#block?.bytes ?? 0;
  }

  /**
   * Makes room for `bytes`. What the arena held is lost, so this is valid only between runs, or before anything was
   * written after `keep`.
   */
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
