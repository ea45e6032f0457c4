import type { Memory } from "./memory.ts";
import { sizeOf } from "./memory.ts";

/** Buffers that carry tensors from one plan to another within a run. They are used again by the next one. */
export class Transfers {
  readonly #memory: Memory;
  readonly #free: GPUBuffer[] = [];
  readonly #used = new Set<GPUBuffer>();

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  take(bytes: number): GPUBuffer {
    const size = sizeOf(bytes);
    // As large, so that a small tensor does not hold what the next large one needs.
    const at = this.#free.findIndex((buffer) => buffer.size === size && this.#memory.holds(buffer));
    const buffer = at >= 0 ? this.#free.splice(at, 1)[0]! : this.#memory.create(bytes, "transfer");
    this.#used.add(buffer);
    return buffer;
  }

  /** Frees what this transfer holds: no later step needs it. */
  give(buffer: GPUBuffer): void {
    if (this.#used.delete(buffer)) this.#free.push(buffer);
  }

  /** Frees what the run's transfers hold, once the run is over. */
  release(): void {
    this.#free.push(...this.#used);
    this.#used.clear();
    for (const buffer of this.#free.splice(0, Math.max(0, this.#free.length - MAX_FREE))) this.#memory.free(buffer);
  }
}

/** Free buffers to keep: more than a run of a usual program takes. */
const MAX_FREE = 64;
