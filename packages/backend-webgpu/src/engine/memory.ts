import type { ConstantMemory } from "@pt2/engine";
import type { Pt2Error } from "@pt2/format";
import { webgpuError } from "../webgpu-errors.ts";
import { Faults } from "./faults.ts";

/** Flags of `GPUBufferUsage`, which is not there before a page has WebGPU. */
const USAGE = {
  mapRead: 0x01,
  copySource: 0x04,
  copyTarget: 0x08,
  uniform: 0x40,
  storage: 0x80,
  queries: 0x200,
} as const;

/** What a buffer is for. */
type Kind =
  /** Tensors: written by the queue and by shaders, read back. */
  | "tensor"
  | "uniform"
  /** Where results are read from. */
  | "staging"
  | "queries";

const USAGES: Readonly<Record<Kind, GPUBufferUsageFlags>> = {
  tensor: USAGE.storage | USAGE.copySource | USAGE.copyTarget,
  uniform: USAGE.uniform | USAGE.copyTarget,
  staging: USAGE.mapRead | USAGE.copyTarget,
  queries: USAGE.queries | USAGE.copySource,
};

/** Usage of buffers that hold tensors. */
export const TENSOR_USAGE: GPUBufferUsageFlags = USAGES.tensor;

/** Bytes of a buffer that is worth waiting for, before something is read for it. */
const LARGE = 8 * 2 ** 20;

/** Makes and counts the buffers of one executable. */
export class Memory implements ConstantMemory<GPUBuffer> {
  /** What the device finds wrong with calls that are made for the executable. */
  readonly faults: Faults;
  readonly #device: GPUDevice;
  readonly #buffers = new Map<GPUBuffer, number>();
  #reserved = 0;

  constructor(device: GPUDevice) {
    this.#device = device;
    this.faults = new Faults(device);
  }

  /** Bytes of all buffers that are there. */
  get reserved(): number {
    return this.#reserved;
  }

  /** How many buffers there are. */
  get count(): number {
    return this.#buffers.size;
  }

  /** Whether a buffer is there: it was not freed, and the device has not said that it has no memory for it. */
  holds(buffer: GPUBuffer): boolean {
    return this.#buffers.has(buffer);
  }

  /** That the device has no memory for it is told by {@link faults}, and from then on it is not there. */
  create(bytes: number, label: string, kind: Kind = "tensor"): GPUBuffer {
    const size = sizeOf(bytes);
    requireBufferSize(label, size, this.#device);
    const descriptor = { size, usage: USAGES[kind], label };
    const others = this.#reserved;
    const buffer: GPUBuffer = this.faults.watch(
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

  /** Waits for the device to say that it has memory for a large buffer. */
  async allocated(bytes: number): Promise<void> {
    if (bytes >= LARGE) await this.faults.settle();
  }

  /** Writes words, behind what the queue was told before. That they cannot be written is told by {@link faults}. */
  write(to: GPUBuffer, offset: number, bytes: Uint8Array<ArrayBuffer>): void {
    if (bytes.byteLength === 0) return;
    this.faults.watch("validation", () => this.#device.queue.writeBuffer(to, offset, bytes), refusedWrite);
  }

  free(buffer: GPUBuffer): void {
    const size = this.#buffers.get(buffer);
    if (size === undefined) return;
    this.#buffers.delete(buffer);
    this.#reserved -= size;
    buffer.destroy();
  }

  /** Frees everything that is left. */
  dispose(): void {
    for (const buffer of [...this.#buffers.keys()]) this.free(buffer);
  }
}

/** Refuses what no buffer of the device has room for. */
export function requireBufferSize(what: string, bytes: number, { limits: { maxBufferSize } }: GPUDevice): void {
  if (bytes <= maxBufferSize) return;
  throw webgpuError("webgpu.too-large", {
    what: `${what} takes ${bytes} bytes; a buffer of this device has at most ${maxBufferSize}`,
    advice: "Use smaller inputs, a device with a larger maxBufferSize, or another backend.",
    details: { bytes, limit: maxBufferSize },
  });
}

/** The error of a buffer that the device could not make. */
export function outOfMemory(what: string, bytes: number, message: string): Pt2Error {
  return webgpuError("webgpu.out-of-memory", {
    what: `The device has no ${bytes} bytes for ${what}: ${message}`,
    advice: "Dispose models that are not needed, use smaller inputs or weights, or another backend.",
    details: { bytes },
  });
}

function refusedWrite(message: string): Pt2Error {
  return webgpuError("webgpu.refused", {
    what: `The device refused data of the model:\n${message}`,
    advice: "Report this message.",
  });
}

/** Size of a buffer for so many bytes: no binding may be empty, and copies go in words. */
export function sizeOf(bytes: number): number {
  return Math.max(16, Math.ceil(bytes / 4) * 4);
}
