import type { Memory } from "./memory.ts";
import { sizeOf } from "./memory.ts";

/** Buffers that carry tensors from one plan to another within a run. The next run uses them again. */
export class Transfers {
  readonly #memory: Memory;
  readonly #free: GPUBuffer[] = [];
  readonly #used = new Set<GPUBuffer>();

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  take(bytes: number): GPUBuffer {
    const size = sizeOf(bytes);
    // The sizes are equal, so that a small tensor does not hold what the next large one needs.
    const at = this.#free.findIndex((buffer) => buffer.size === size && this.#memory.holds(buffer));
    const buffer = at >= 0 ? this.#free.splice(at, 1)[0]! : this.#memory.create(bytes, "transfer");
    this.#used.add(buffer);
    return buffer;
  }

  /** Frees a buffer of this run's transfers that no later step needs. */
  give(buffer: GPUBuffer): void {
    if (this.#used.delete(buffer)) this.#free.push(buffer);
  }

  /** Frees the buffers of the run's transfers, once the run is over. */
  release(): void {
    this.#free.push(...this.#used);
    this.#used.clear();
    for (const buffer of this.#free.splice(0, Math.max(0, this.#free.length - MAX_FREE))) this.#memory.free(buffer);
  }
}

/** The number of free buffers to keep: more than a run of a usual program takes. */
const MAX_FREE = 64;
