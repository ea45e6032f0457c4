import { backendError } from "@pt2/backend";
import type { Memory } from "./memory.ts";

/**
 * Memory of the GPU that holds tensors: of a run (which of the plan's buffers it is, is decided when the whole plan is
 * known), of the module (a mutable buffer), or of a value that never changes.
 */
export interface Buffer {
  /** Bytes as the GPU stores the elements (`storageOf`), which need not be the bytes of the dtype. */
  readonly bytes: number;
  /** The buffer, when the plan has been laid out. */
  gpu(): GPUBuffer;
  /** Set for values that never change: weights and what is computed from them alone. */
  readonly constant: Constant | null;
}

/** How a constant's value comes about. */
export interface Recipe {
  /** What it is computed from; empty for a weight record. */
  readonly inputs: readonly Constant[];
  /** Puts the value into a buffer, when all inputs are on the device. */
  produce(to: GPUBuffer): Promise<void>;
}

/** Bytes of a buffer that is worth waiting for, before something is read for it. */
const LARGE = 8 * 2 ** 20;

let nextId = 0;

/**
 * A value that never changes. It is brought to the device when a plan needs it, by reading a weight record or by running
 * shaders over other constants, and leaves again unless a plan pinned it.
 */
export class Constant implements Buffer {
  /** Unique among constants, for keys. */
  readonly id: number = nextId++;
  readonly bytes: number;
  readonly label: string;
  readonly inputs: readonly Constant[];
  /** Number of plans that read it while they run. */
  pins = 0;
  readonly #recipe: Recipe;
  readonly #memory: Memory;
  #gpu: GPUBuffer | null = null;
  #loading: Promise<void> | null = null;

  constructor(memory: Memory, bytes: number, label: string, recipe: Recipe) {
    this.#memory = memory;
    this.bytes = bytes;
    this.label = label;
    this.inputs = recipe.inputs;
    this.#recipe = recipe;
  }

  get constant(): Constant {
    return this;
  }

  /** Whether its value is on the device, or on the way. */
  get resident(): boolean {
    return this.#gpu !== null;
  }

  gpu(): GPUBuffer {
    if (this.#gpu !== null) return this.#gpu;
    throw backendError("backend.internal", { what: `a step reads ${this.label}, which its plan did not ask for` });
  }

  /** Brings it, and first what it is computed from, to the device. */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.unload();
      throw error;
    });
    return this.#loading;
  }

  unload(): void {
    if (this.#gpu !== null) this.#memory.free(this.#gpu);
    this.#gpu = null;
    this.#loading = null;
  }

  async #load(): Promise<void> {
    for (const input of this.inputs) await input.load();
    this.#gpu = this.#memory.create(this.bytes, this.label);
    // What has no memory is not written to, and nothing more is read from the file for it.
    if (this.bytes >= LARGE) await this.#memory.faults.settle();
    await this.#recipe.produce(this.#gpu);
  }
}
