import type { Call } from "@pt2/registry";
import type { Awaitable } from "../staged/awaitable.ts";
import type { Constant, ConstantMemory, DeviceBuffer } from "./constant.ts";
import type { Derivation } from "./constant-pool.ts";
import type { DeviceTypes } from "./device-types.ts";
import type { ConstantSteps, PlanDevice, PlanTarget } from "./plan-device.ts";

/** A buffer that exists only while a constant is computed. */
class Temporary<Handle> implements DeviceBuffer<Handle> {
  readonly constant = null;
  readonly bytes: number;
  memory: Handle | undefined;

  constructor(bytes: number) {
    this.bytes = bytes;
  }

  get handle(): Handle {
    return this.memory!;
  }
}

/** Steps that were planned for a constant, and the memory that they use. */
export class ConstantWork<T extends DeviceTypes> implements PlanTarget<T>, ConstantSteps<T>, Derivation<T["handle"]> {
  readonly steps: T["step"][] = [];
  readonly calls: readonly Call[] = [];
  readonly notes: T["notes"];
  readonly inputs: Set<Constant<T["handle"]>> = new Set();
  readonly #device: PlanDevice<T>;
  readonly #temporaries: Temporary<T["handle"]>[] = [];

  constructor(device: PlanDevice<T>) {
    this.#device = device;
    this.notes = device.begin();
  }

  add(step: T["step"]): void {
    this.steps.push(step);
    for (const buffer of this.#device.buffersOf?.(step) ?? []) this.#uses(buffer);
  }

  allocate(bytes: number): DeviceBuffer<T["handle"]> {
    const buffer = new Temporary<T["handle"]>(bytes);
    this.#temporaries.push(buffer);
    return buffer;
  }

  reads(buffer: DeviceBuffer<T["handle"]>): void {
    if (this.#device.buffersOf === undefined) this.#uses(buffer);
  }

  unreads(): void {}

  run(): Awaitable<void> {
    return this.#device.compute(this);
  }

  get temporaries(): readonly number[] {
    return this.#temporaries.map(({ bytes }) => bytes);
  }

  allocateTemporaries(memory: ConstantMemory<T["handle"]>): void {
    for (const buffer of this.#temporaries) buffer.memory = memory.allocate(buffer.bytes, "temporary");
  }

  freeTemporaries(memory: ConstantMemory<T["handle"]>): void {
    for (const buffer of this.#temporaries) {
      if (buffer.memory !== undefined) memory.free(buffer.memory);
      buffer.memory = undefined;
    }
  }

  #uses({ constant }: DeviceBuffer<T["handle"]>): void {
    if (constant !== null) this.inputs.add(constant);
  }
}
