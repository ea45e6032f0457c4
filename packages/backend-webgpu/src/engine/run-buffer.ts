import type { Buffer } from "./constant.ts";
import type { Memory } from "./memory.ts";
import { sizeOf } from "./memory.ts";

/**
 * The buffers that runs work in, shared by all plans of an executable, since runs do not overlap. A larger plan makes
 * them grow; bind groups of other plans are then made again, as `generation` tells.
 */
export class Arena {
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

  slot(index: number): GPUBuffer {
    return this.#slots[index]!;
  }

  /** Makes slots from `start` on at least so large. What grows loses its content; those before `start` stay. */
  reserve(start: number, bytes: readonly number[]): void {
    for (const [i, wanted] of bytes.entries()) {
      const known = this.#slots[start + i];
      if (known !== undefined && known.size >= sizeOf(wanted) && this.#memory.holds(known)) continue;
      if (known !== undefined) this.#memory.free(known);
      // There is none if the next one cannot be had.
      this.#slots[start + i] = undefined;
      this.#generation++;
      this.#slots[start + i] = this.#memory.create(wanted, `tensors ${start + i}`);
    }
  }
}

/** A buffer of a run, alive from step `first` to step `last` of its plan. */
export class RunBuffer implements Buffer {
  readonly constant = null;
  readonly bytes: number;
  readonly first: number;
  last: number;
  /** Set by the memory plan. */
  slot = -1;
  readonly #arena: Arena;

  constructor(arena: Arena, bytes: number, step: number) {
    this.#arena = arena;
    this.bytes = bytes;
    this.first = step;
    this.last = step;
  }

  gpu(): GPUBuffer {
    return this.#arena.slot(this.slot);
  }
}

/** A buffer with memory of its own: a mutable buffer of the module, a temporary of a constant, guards. */
export class OwnBuffer implements Buffer {
  readonly constant = null;
  readonly bytes: number;
  readonly #gpu: GPUBuffer;

  constructor(gpu: GPUBuffer, bytes: number) {
    this.#gpu = gpu;
    this.bytes = bytes;
  }

  gpu(): GPUBuffer {
    return this.#gpu;
  }
}
