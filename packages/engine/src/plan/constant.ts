import { backendError } from "@pt2/backend";
import type { Derived } from "../constants.ts";
import type { Awaitable } from "../staged/awaitable.ts";

/** Memory that holds tensors. Where it is on the device is known at the latest when a step runs. */
export interface DeviceBuffer<Handle> {
  /** Bytes as the device stores elements, which need not be the bytes of the dtype. */
  readonly bytes: number;
  /** Where it is on the device, now: an address, a buffer of a GPU. */
  readonly handle: Handle;
  /** Set for values that never change: weights, and what is computed from them alone. */
  readonly constant: Constant<Handle> | null;
}

/** Memory of a device for values that outlive a run. */
export interface ConstantMemory<Handle> {
  allocate(bytes: number, label: string): Handle;
  free(handle: Handle): void;
  /** Fails if memory that was just allocated is not there after all. Absent where `allocate` says so itself. */
  allocated?(bytes: number): Awaitable<void>;
}

/** How a constant's value comes about. */
export interface Recipe<Handle> {
  /** What it is computed from; empty for a weight record. */
  readonly inputs: Iterable<Constant<Handle>>;
  /** Whether it is read from the file. */
  readonly isRecord?: boolean;
  /** Writes the value, when all inputs are in memory. */
  produce(to: Handle): Awaitable<void>;
  /** Makes the value out of the only input's bytes where they are, when it takes exactly their room. */
  readonly rework?: ((at: Handle) => void) | undefined;
}

let nextId = 0;

/**
 * A value that never changes. It is brought into memory when a plan needs it, by reading a weight record or by running
 * steps over other constants, and leaves again unless a plan pinned it.
 */
export class Constant<Handle> implements DeviceBuffer<Handle>, Derived<Constant<Handle>> {
  /** Unique among constants, for keys. */
  readonly id: number = nextId++;
  readonly bytes: number;
  readonly label: string;
  readonly isRecord: boolean;
  readonly inputs: readonly Constant<Handle>[];
  /** Number of plans that read it while they run. */
  pins = 0;
  readonly #recipe: Recipe<Handle>;
  readonly #memory: ConstantMemory<Handle>;
  #handle: Handle | undefined;
  #loading: Promise<void> | undefined;
  #unfinished = false;

  constructor(memory: ConstantMemory<Handle>, bytes: number, label: string, recipe: Recipe<Handle>) {
    this.#memory = memory;
    this.bytes = bytes;
    this.label = label;
    this.isRecord = recipe.isRecord === true;
    this.inputs = [...recipe.inputs];
    this.#recipe = recipe;
  }

  get constant(): this {
    return this;
  }

  /** Whether it has memory: for its value, or for bytes on the way to it. */
  get resident(): boolean {
    return this.#handle !== undefined;
  }

  /** Whether it can take over the memory of its only input. */
  get reworks(): boolean {
    return this.#recipe.rework !== undefined && this.inputs.length === 1 && this.inputs[0]!.bytes === this.bytes;
  }

  get handle(): Handle {
    if (this.#handle !== undefined) return this.#handle;
    throw backendError("backend.internal", { what: `a step reads ${this.label}, which its plan did not ask for` });
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
    const [source] = this.inputs as [Constant<Handle>];
    this.#handle = source.#handle;
    this.#loading = Promise.resolve();
    this.#unfinished = true;
    source.#handle = undefined;
    source.#loading = undefined;
  }

  /** Makes the value of memory that was taken over. */
  finish(): void {
    if (!this.#unfinished) return;
    this.#recipe.rework!(this.handle);
    this.#unfinished = false;
  }

  unload(): void {
    if (this.#handle !== undefined) this.#memory.free(this.#handle);
    this.#handle = undefined;
    this.#loading = undefined;
    this.#unfinished = false;
  }

  async #load(): Promise<void> {
    for (const input of this.inputs) {
      await input.load();
      input.finish();
    }
    this.#handle = this.#memory.allocate(this.bytes, this.label);
    // What has no memory is not written to, and nothing more is read from the file for it.
    await this.#memory.allocated?.(this.bytes);
    await this.#recipe.produce(this.#handle);
  }
}
