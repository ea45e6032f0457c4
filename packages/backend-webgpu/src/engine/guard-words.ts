import { Pt2Error } from "@pt2/format";
import type { Guard } from "../shader/shader.ts";
import type { Memory } from "./memory.ts";
import type { Range, Stream } from "./stream.ts";
import type { Buffer } from "./tensor-view.ts";

/** A guard and the node that it belongs to. */
interface PlannedGuard extends Guard {
  readonly where: string | undefined;
}

/** The errors that shaders of one plan may find in their data: two words each, a flag and the value. */
export class GuardWords implements Buffer {
  readonly constant = null;
  readonly #guards: PlannedGuard[] = [];
  #memory: GPUBuffer | null = null;

  get bytes(): number {
    return this.#guards.length * 8;
  }

  /** Reserves the words of one more guard. */
  add(guard: Guard, where?: string): { readonly buffer: Buffer; readonly slot: number } {
    this.#guards.push({ ...guard, where });
    return { buffer: this, slot: this.#guards.length - 1 };
  }

  allocate(memory: Memory): void {
    if (this.#guards.length > 0) this.#memory = memory.create(this.bytes, "guards");
  }

  get handle(): GPUBuffer {
    return this.#memory!;
  }

  /** The range of the words; null when there are none. */
  get range(): Range | null {
    return this.#memory === null ? null : { buffer: this.#memory, offset: 0, size: this.bytes };
  }

  clear(stream: Stream): void {
    if (this.range !== null) stream.clear(this.range);
  }

  /** Fails when a guard has reported something, given its words as read back. */
  check(words: Uint8Array<ArrayBuffer>): void {
    const reported = new Int32Array(words.buffer, words.byteOffset, this.#guards.length * 2);
    for (const [i, { code, what, where }] of this.#guards.entries()) {
      if (reported[2 * i] === 0) continue;
      throw new Pt2Error(code, {
        what: what(reported[2 * i + 1]!),
        where,
        advice: "Check the values that the program computes this from.",
      });
    }
  }

  free(memory: Memory): void {
    if (this.#memory !== null) memory.free(this.#memory);
    this.#memory = null;
  }
}
