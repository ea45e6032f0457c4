import type { ConstantMemory } from "@pt2/engine";
import type { Pt2Error } from "@pt2/format";
import { webgpuError } from "../webgpu-errors.ts";
import { ErrorScopes } from "./error-scopes.ts";

/** Flags of `GPUBufferUsage`, which does not exist before a page has WebGPU. */
const USAGE = {
  mapRead: 0x01,
  copySource: 0x04,
  copyTarget: 0x08,
  uniform: 0x40,
  storage: 0x80,
  queries: 0x200,
} as const;

/** The purpose of a buffer. */
type Kind =
  /** A buffer for tensors, which the queue and shaders write, and which is read back. */
  | "tensor"
  | "uniform"
  /** A buffer from which results are read. */
  | "staging"
  | "queries";

const USAGES: Readonly<Record<Kind, GPUBufferUsageFlags>> = {
  tensor: USAGE.storage | USAGE.copySource | USAGE.copyTarget,
  uniform: USAGE.uniform | USAGE.copyTarget,
  staging: USAGE.mapRead | USAGE.copyTarget,
  queries: USAGE.queries | USAGE.copySource,
};

/** The usage of buffers that hold tensors. */
export const TENSOR_USAGE: GPUBufferUsageFlags = USAGES.tensor;

/** The bytes of a buffer from which on it is worth waiting for the allocation before something is read for it. */
const LARGE = 8 * 2 ** 20;

/** Creates and counts the buffers of one executable. */
export class Memory implements ConstantMemory<GPUBuffer> {
  /** Collects the device's errors in calls for this executable. */
  readonly errors: ErrorScopes;
  readonly #device: GPUDevice;
  readonly #buffers = new Map<GPUBuffer, number>();
  #reserved = 0;

  constructor(device: GPUDevice) {
    this.#device = device;
    this.errors = new ErrorScopes(device);
  }

  /** The bytes of all live buffers. */
  get reserved(): number {
    return this.#reserved;
  }

  /** The number of live buffers. */
  get count(): number {
    return this.#buffers.size;
  }

  /** Whether a buffer is live: it was not freed, and the device has not reported that it has no memory for it. */
  holds(buffer: GPUBuffer): boolean {
    return this.#buffers.has(buffer);
  }

  /** Creates a buffer. A lack of memory is reported to {@link errors}, and from then on the buffer is not live. */
  create(bytes: number, label: string, kind: Kind = "tensor"): GPUBuffer {
    const size = sizeOf(bytes);
    requireBufferSize(label, size, this.#device);
    const descriptor = { size, usage: USAGES[kind], label };
    const others = this.#reserved;
    const buffer: GPUBuffer = this.errors.watch(
      "out-of-memory",
      () => this.#device.createBuffer(descriptor),
      (message) => {
        this.free(buffer);
        return outOfMemory(`${label}, beside ${others} of this model`, size, message);
      },
    );
    this.#buffers.set(buffer, size);
    this.#reserved += size;
    return buffer;
  }

  allocate(bytes: number, label: string): GPUBuffer {
    return this.create(bytes, label);
  }

  /** Waits until the device confirms that it has memory for a large buffer. */
  async allocated(bytes: number): Promise<void> {
    if (bytes >= LARGE) await this.errors.check();
  }

  /** Writes words, after what was queued before. An error is reported to {@link errors}. */
  write(to: GPUBuffer, offset: number, bytes: Uint8Array<ArrayBuffer>): void {
    if (bytes.byteLength === 0) return;
    this.errors.watch("validation", () => this.#device.queue.writeBuffer(to, offset, bytes), refusedWrite);
  }

  free(buffer: GPUBuffer): void {
    const size = this.#buffers.get(buffer);
    if (size === undefined) return;
    this.#buffers.delete(buffer);
    this.#reserved -= size;
    buffer.destroy();
  }

  /** Frees all live buffers. */
  dispose(): void {
    for (const buffer of [...this.#buffers.keys()]) this.free(buffer);
  }
}

/** Refuses what is too large for any buffer of the device. */
export function requireBufferSize(what: string, bytes: number, { limits: { maxBufferSize } }: GPUDevice): void {
  if (bytes <= maxBufferSize) return;
  throw webgpuError("webgpu.too-large", {
    what: `${what} takes ${bytes} bytes; a buffer of this device has at most ${maxBufferSize}`,
    advice: "Use smaller inputs, a device with a larger maxBufferSize, or another backend.",
    details: { bytes, limit: maxBufferSize },
  });
}

/** Makes the error of a buffer that the device could not create. */
export function outOfMemory(what: string, bytes: number, message: string): Pt2Error {
  return webgpuError("webgpu.out-of-memory", {
    what: `The device cannot allocate ${bytes} bytes for ${what}: ${message}`,
    advice: "Dispose models that are not needed, use smaller inputs or weights, or another backend.",
    details: { bytes },
  });
}

function refusedWrite(message: string): Pt2Error {
  return webgpuError("webgpu.refused", {
    what: `The device refused a write to a buffer of the model:\n${message}`,
    advice: "Report this message.",
  });
}

/** Returns the size of a buffer for this many bytes: no binding may be empty, and copies are in whole words. */
export function sizeOf(bytes: number): number {
  return Math.max(16, Math.ceil(bytes / 4) * 4);
}
