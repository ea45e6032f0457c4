import type { Pt2Error } from "@pt2/format";
import { onAbort } from "@pt2/format";
import { webgpuError } from "../webgpu-errors.ts";
import type { Memory } from "./memory.ts";

/** A part of a buffer; offset and size are multiples of 4. */
export interface Range {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly size: number;
}

/** A dispatch with all that the GPU needs for it. */
export interface BoundDispatch {
  readonly pipeline: GPUComputePipeline;
  readonly group: GPUBindGroup;
  readonly workgroups: readonly [x: number, y: number, z: number];
}

/** Where a pass writes the times of its beginning and its end. */
export type PassTimes = GPUComputePassTimestampWrites;

/** `GPUMapMode.READ`. */
const READ = 1;

/**
 * The work of an executable for the device, in order. Commands gather in one command buffer with as few passes as
 * possible, and are submitted when something is read or when the host writes in between.
 */
export class Stream {
  /** Ends what the current load or run waits for. The device goes on, in order, with what was submitted. */
  signal: AbortSignal | undefined = undefined;
  readonly #gpu: GPUDevice;
  readonly #memory: Memory;
  /** Free staging buffers. */
  readonly #staging: GPUBuffer[] = [];
  #encoder: GPUCommandEncoder | null = null;
  #pass: GPUComputePassEncoder | null = null;

  constructor(gpu: GPUDevice, memory: Memory) {
    this.#gpu = gpu;
    this.#memory = memory;
  }

  dispatch({ pipeline, group, workgroups: [x, y, z] }: BoundDispatch): void {
    this.#pass ??= this.#commands().beginComputePass();
    this.#pass.setPipeline(pipeline);
    this.#pass.setBindGroup(0, group);
    this.#pass.dispatchWorkgroups(x, y, z);
  }

  /** Records dispatches in a pass of their own, which is timed. */
  timed(dispatches: readonly BoundDispatch[], timestampWrites: PassTimes): void {
    this.#endPass();
    this.#pass = this.#commands().beginComputePass({ timestampWrites });
    for (const dispatch of dispatches) this.dispatch(dispatch);
    this.#endPass();
  }

  copy(from: Range, to: GPUBuffer, offset = 0): void {
    this.#endPass();
    this.#commands().copyBufferToBuffer(from.buffer, from.offset, to, offset, from.size);
  }

  clear({ buffer, offset, size }: Range): void {
    this.#endPass();
    this.#commands().clearBuffer(buffer, offset, size);
  }

  resolve(queries: GPUQuerySet, count: number, to: GPUBuffer): void {
    this.#endPass();
    this.#commands().resolveQuerySet(queries, 0, count, to, 0);
  }

  /** Writes bytes of the host, after everything recorded so far. */
  write(to: GPUBuffer, bytes: Uint8Array<ArrayBuffer>, offset = 0): void {
    this.submit();
    this.#memory.write(to, offset, bytes);
  }

  submit(): void {
    if (this.#encoder === null) return;
    this.#endPass();
    const encoder = this.#encoder;
    this.#encoder = null;
    this.#memory.errors.watch("validation", () => this.#gpu.queue.submit([encoder.finish()]), refused);
  }

  /** Drops what was not submitted. */
  discard(): void {
    this.#pass = null;
    this.#encoder = null;
  }

  /** Returns copies of ranges in host memory, when everything recorded so far is done. */
  async read(ranges: readonly Range[]): Promise<readonly Uint8Array<ArrayBuffer>[]> {
    this.signal?.throwIfAborted();
    const starts: number[] = [];
    let bytes = 0;
    for (const { size } of ranges) {
      starts.push(bytes);
      bytes += Math.ceil(size / 8) * 8;
    }
    const staging = this.#take(bytes);
    for (const [i, range] of ranges.entries()) if (range.size > 0) this.copy(range, staging, starts[i]!);
    this.submit();
    try {
      await this.#map(staging, bytes);
      const mapped = staging.getMappedRange(0, bytes);
      return ranges.map(({ size }, i) => new Uint8Array(mapped.slice(starts[i]!, starts[i]! + size)));
    } finally {
      staging.unmap();
      if (this.#memory.holds(staging)) this.#staging.push(staging);
    }
  }

  async #map(staging: GPUBuffer, bytes: number): Promise<void> {
    const { signal } = this;
    // A buffer that is no longer waited for is free at once: other copies to it come after this one.
    const leave = onAbort(signal, () => staging.unmap());
    const [mapped] = await Promise.allSettled([staging.mapAsync(READ, 0, bytes)]);
    leave();
    signal?.throwIfAborted();
    // An error in an earlier call explains why this one failed; if it did not fail, nothing was written to what it
    // reads.
    await this.#memory.errors.check();
    if (mapped.status === "rejected") throw mapped.reason;
  }

  #commands(): GPUCommandEncoder {
    this.#encoder ??= this.#gpu.createCommandEncoder();
    return this.#encoder;
  }

  #endPass(): void {
    this.#pass?.end();
    this.#pass = null;
  }

  /** Returns the smallest free buffer that is large enough, else a new one in place of a smaller one. */
  #take(bytes: number): GPUBuffer {
    const fitting = this.#staging.filter(({ size }) => size >= bytes).sort((a, b) => a.size - b.size);
    const known = fitting[0] ?? this.#staging[0];
    if (known !== undefined) this.#staging.splice(this.#staging.indexOf(known), 1);
    if (known !== undefined && known.size >= bytes) return known;
    if (known !== undefined) this.#memory.free(known);
    return this.#memory.create(bytes, "results", "staging");
  }
}

function refused(message: string): Pt2Error {
  return webgpuError("webgpu.refused", {
    what: `The device refused commands of the model:\n${message}`,
    advice: "Do not destroy the buffers of input tensors before the call is over; if you did not, report this message.",
  });
}
