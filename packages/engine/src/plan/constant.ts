import { backendError } from "@pt2/backend";
import type { Derived } from "../constants.ts";
import type { Awaitable } from "../staged/awaitable.ts";
import { Replaceable } from "./replaceable.ts";

/** Memory that holds tensors. Its address on the device is known at the latest when a step runs. */
export interface DeviceBuffer<Handle> {
  /** Bytes as the device stores elements, which need not be the bytes of the dtype. */
  readonly bytes: number;
  /** Where the buffer is on the device at present: an address, or a buffer of a GPU. */
  readonly handle: Handle;
  /**
   * The constant that the buffer holds, a weight or a value computed from weights alone; null for a buffer that runs
   * write.
   */
  readonly constant: Constant<Handle> | null;
  /** Makes another buffer's place that of this one, or its own again. Buffers that plans share have it. */
  replace?(other: DeviceBuffer<Handle> | null): void;
}

/** A device's memory for values that outlive a run. */
export interface ConstantMemory<Handle> {
  allocate(bytes: number, label: string): Handle;
  free(handle: Handle): void;
  /** Fails if memory that was just allocated is not there after all. It is absent where `allocate` itself fails. */
  allocated?(bytes: number): Awaitable<void>;
}

/** How the value of a constant is made. */
export interface Recipe<Handle> {
  /** What it is computed from; empty for a weight record. */
  readonly inputs: Iterable<Constant<Handle>>;
  /** Whether the value is read from the file. */
  readonly isRecord?: boolean;
  /** Writes the value, when all inputs are in memory. */
  produce(to: Handle): Awaitable<void>;
  /** Computes the value in place, in the bytes of the only input, when it takes exactly their room. */
  readonly rework?: ((at: Handle) => void) | undefined;
}

let nextId = 0;

/**
 * A value that never changes. It is brought into memory when a plan needs it, by reading a weight record or by running
 * steps over other constants, and it leaves memory again unless a plan pinned it.
 */
export class Constant<Handle> extends Replaceable<Handle> implements DeviceBuffer<Handle>, Derived<Constant<Handle>> {
  /** A number that is unique among constants, for keys. */
  readonly id: number = nextId++;
  readonly bytes: number;
  readonly label: string;
  readonly isRecord: boolean;
  readonly inputs: readonly Constant<Handle>[];
  /** The number of plans that read it while they run. */
  pins = 0;
  /** The number of values of the pool that are computed from it. */
  uses = 0;
  readonly #recipe: Recipe<Handle>;
  readonly #memory: ConstantMemory<Handle>;
  #handle: Handle | undefined;
  #loading: Promise<void> | undefined;
  #loaded = false;
  #unfinished = false;

  constructor(memory: ConstantMemory<Handle>, bytes: number, label: string, recipe: Recipe<Handle>) {
    super();
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

  /** Whether it has memory, either for its value or for bytes that its value will be computed from in place. */
  get resident(): boolean {
    return this.#handle !== undefined;
  }

  /** Whether its value is in memory; of a record that is resident the read may be under way. */
  get loaded(): boolean {
    return this.#loaded;
  }

  /** Whether it can take over the memory of its only input. */
  get reworks(): boolean {
    return this.#recipe.rework !== undefined && this.inputs.length === 1 && this.inputs[0]!.bytes === this.bytes;
  }

  get own(): Handle {
    if (this.#handle !== undefined) return this.#handle;
    throw backendError("backend.internal", { what: `A step reads ${this.label}, which its plan did not load` });
  }

  /** Brings it into memory, and before it what it is computed from. */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.unload();
      throw error;
    });
    return this.#loading;
  }

  /**
   * Takes over the memory of its only input, which is no longer resident then. Its value is there after {@link finish}.
   */
  takeOver(): void {
    const [source] = this.inputs as [Constant<Handle>];
    this.#handle = source.#handle;
    this.#loading = Promise.resolve();
    this.#unfinished = true;
    source.#handle = undefined;
    source.#loading = undefined;
    source.#loaded = false;
  }

  /** Computes the value in memory that was taken over. */
  finish(): void {
    if (!this.#unfinished) return;
    this.#recipe.rework!(this.own);
    this.#unfinished = false;
  }

  unload(): void {
    if (this.#handle !== undefined) this.#memory.free(this.#handle);
    this.#handle = undefined;
    this.#loading = undefined;
    this.#loaded = false;
    this.#unfinished = false;
  }

  async #load(): Promise<void> {
    for (const input of this.inputs) {
      await input.load();
      input.finish();
    }
    this.#handle = this.#memory.allocate(this.bytes, this.label);
    // Without memory nothing may be written, and nothing more is read from the file for it.
    await this.#memory.allocated?.(this.bytes);
    await this.#recipe.produce(this.#handle);
    this.#loaded = true;
  }
}
