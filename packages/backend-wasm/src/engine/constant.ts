import { backendError } from "@pt2/backend";
import type { Block, Heap } from "./heap.ts";

/** Where a tensor's elements are: a piece of memory whose address is known at the latest when a step runs. */
export interface Buffer {
  readonly bytes: number;
  /** Address of the first byte, now. */
  address(): number;
  /** Set for values that never change: weights and what is computed from them alone. */
  readonly constant: Constant | null;
}

/** How a constant's value comes about. */
export interface Recipe {
  /** What it is computed from; empty for a weight record. */
  readonly inputs: Iterable<Constant>;
  /** Writes the value to an address, when all inputs are in memory. */
  produce(address: number): Promise<void> | void;
  /** Makes the value out of the only input's bytes where they are, when it takes exactly their room. */
  readonly rework?: ((address: number) => void) | undefined;
}

let nextId = 0;

/**
 * A value that never changes. It is brought into memory when a plan needs it, by reading a weight record or by
 * running steps over other constants, and leaves again unless a plan pinned it.
 */
export class Constant implements Buffer {
  /** Unique among constants, for keys. */
  readonly id: number = nextId++;
  readonly bytes: number;
  readonly inputs: readonly Constant[];
  /** Number of plans that read it while they run. */
  pins = 0;
  readonly #recipe: Recipe;
  readonly #heap: Heap;
  #block: Block | null = null;
  #loading: Promise<void> | null = null;
  #unfinished = false;

  constructor(heap: Heap, bytes: number, recipe: Recipe) {
    this.#heap = heap;
    this.bytes = bytes;
    this.inputs = [...recipe.inputs];
    this.#recipe = recipe;
  }

  get constant(): Constant {
    return this;
  }

  /** Whether it has memory: its value, or bytes on the way to it. */
  get resident(): boolean {
    return this.#block !== null;
  }

  /** Whether it can take over the memory of its only input. */
  get reworks(): boolean {
    return this.#recipe.rework !== undefined && this.inputs.length === 1 && this.inputs[0]!.bytes === this.bytes;
  }

  address(): number {
    if (this.#block !== null) return this.#block.address;
    throw backendError("backend.internal", { what: "a step reads a constant that its plan did not ask for" });
  }

  /** Brings it, and first what it is computed from, into memory. */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.unload();
      throw error;
    });
    return this.#loading;
  }

  /** Takes the memory of its only input, which is no longer resident then. Its value is there after {@link finish}. */
  takeOver(): void {
    const [source] = this.inputs as [Constant];
    this.#block = source.#block;
    this.#loading = Promise.resolve();
    this.#unfinished = true;
    source.#block = null;
    source.#loading = null;
  }

  /** Makes the value of memory that was taken over. */
  finish(): void {
    if (!this.#unfinished) return;
    this.#recipe.rework!(this.address());
    this.#unfinished = false;
  }

  unload(): void {
    if (this.#block !== null) this.#heap.free(this.#block);
    this.#block = null;
    this.#loading = null;
    this.#unfinished = false;
  }

  async #load(): Promise<void> {
    for (const input of this.inputs) {
      await input.load();
      input.finish();
    }
    this.#block = this.#heap.alloc(this.bytes);
    await this.#recipe.produce(this.#block.address);
  }
}
