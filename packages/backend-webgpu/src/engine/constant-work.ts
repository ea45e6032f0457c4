import type { Guard } from "../shader/shader.ts";
import type { Buffer, Constant } from "./constant.ts";
import type { Device } from "./device.ts";
import { GuardWords } from "./guard-words.ts";
import type { Memory } from "./memory.ts";
import { ReadyWork } from "./ready-work.ts";
import { buffersOf, type StepSink, type Work } from "./step-sink.ts";
import type { Stream } from "./stream.ts";

/** Memory of a constant's computation: it exists only while that runs. */
class Temporary implements Buffer {
  readonly constant = null;
  readonly bytes: number;
  memory: GPUBuffer | null = null;

  constructor(bytes: number) {
    this.bytes = bytes;
  }

  gpu(): GPUBuffer {
    return this.memory!;
  }
}

/** Work that was planned for a constant, and the memory it works in. */
export class ConstantWork implements StepSink {
  readonly #device: Device;
  readonly #memory: Memory;
  readonly #work: Work[] = [];
  readonly #temporaries: Temporary[] = [];
  readonly #guards = new GuardWords();

  constructor(device: Device, memory: Memory) {
    this.#device = device;
    this.#memory = memory;
  }

  add(work: Work): void {
    this.#work.push(work);
    // Compiling begins now, so that it is done, or nearly, when the constant is needed.
    if (work.kind === "dispatch") this.#device.pipelines.get(work.dispatch).catch(() => {});
  }

  scratch(bytes: number): Buffer {
    const buffer = new Temporary(bytes);
    this.#temporaries.push(buffer);
    return buffer;
  }

  guard(guard: Guard): { readonly buffer: Buffer; readonly slot: number } {
    return this.#guards.add(guard);
  }

  /** What was planned, in order. */
  get work(): readonly Work[] {
    return this.#work;
  }

  /** What it is computed from. */
  get inputs(): readonly Constant[] {
    return [...new Set(this.#work.flatMap(buffersOf).flatMap(({ constant }) => (constant === null ? [] : [constant])))];
  }

  async run(stream: Stream): Promise<void> {
    const ready = await ReadyWork.prepare(this.#device, this.#memory, this.#work, { signal: stream.signal });
    try {
      for (const buffer of this.#temporaries) buffer.memory = this.#memory.create(buffer.bytes, "temporary");
      this.#guards.allocate(this.#memory);
      ready.bind();
      this.#guards.clear(stream);
      for (const item of this.#work) await ready.run(item, stream);
      stream.submit();
      const { range } = this.#guards;
      if (range !== null) this.#guards.check((await stream.read([range]))[0]!);
    } finally {
      ready.dispose();
      this.#guards.free(this.#memory);
      for (const buffer of this.#temporaries) {
        if (buffer.memory !== null) this.#memory.free(buffer.memory);
        buffer.memory = null;
      }
    }
  }
}
