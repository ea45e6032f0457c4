import type { PlanMemory } from "@pt2/engine";
import type { Memory } from "./memory.ts";
import { sizeOf } from "./memory.ts";

/**
 * The buffers that runs work in. All plans of an executable share them, since runs do not overlap. A larger plan makes
 * them grow, and `generation` shows that bind groups of other plans must be made again.
 */
export class BufferSlots implements PlanMemory<GPUBuffer> {
  readonly #memory: Memory;
  readonly #slots: (GPUBuffer | undefined)[] = [];
  #generation = 0;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  get generation(): number {
    return this.#generation;
  }

  get bytes(): number {
    return this.#slots.reduce((sum, slot) => sum + (slot?.size ?? 0), 0);
  }

  at(index: number): GPUBuffer {
    return this.#slots[index]!;
  }

  /**
   * Makes the slots from `start` on at least this large. A slot that grows loses its content; those before `start`
   * stay. `submit` submits what was recorded, which may still read a slot.
   */
  reserve(start: number, bytes: readonly number[], submit: () => void): void {
    for (const [i, wanted] of bytes.entries()) {
      const known = this.#slots[start + i];
      if (known !== undefined && known.size >= sizeOf(wanted) && this.#memory.holds(known)) continue;
      if (known !== undefined) {
        submit();
        this.#memory.free(known);
      }
      // The slot stays empty if the next allocation fails.
      this.#slots[start + i] = undefined;
      this.#generation++;
      this.#slots[start + i] = this.#memory.create(wanted, `tensors ${start + i}`);
    }
  }
}
