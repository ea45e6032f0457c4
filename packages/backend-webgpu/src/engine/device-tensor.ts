import { backendError, Tensor } from "@pt2/backend";
import type { DType } from "@pt2/format";
import { webgpuError } from "../webgpu-errors.ts";
import { type Device, whyFailed } from "./device.ts";
import { fromGpu } from "./element-bytes.ts";
import type { ErrorScopes } from "./error-scopes.ts";
import { Memory, outOfMemory, requireBufferSize, sizeOf, TENSOR_USAGE } from "./memory.ts";
import { Stream } from "./stream.ts";
import { bytesOf } from "./tensor-view.ts";

/**
 * A tensor in a `GPUBuffer`, row-major from its first byte on, elements stored as this backend stores them. It owns the
 * buffer unless it was made over a buffer of the user's.
 */
export class DeviceTensor<D extends DType = DType> extends Tensor<D> {
  readonly bytes = null;
  /** The device that holds it. */
  readonly on: Device;
  readonly #owned: boolean;
  /** The number of tensors over the buffer that are not disposed. */
  readonly #holders: { count: number };
  #buffer: GPUBuffer | null;

  constructor(
    on: Device,
    dtype: D,
    shape: readonly number[],
    buffer: GPUBuffer,
    owned: boolean,
    holders: { count: number } = { count: 0 },
  ) {
    super(dtype, shape, "webgpu");
    this.on = on;
    this.#buffer = buffer;
    this.#owned = owned;
    this.#holders = holders;
    holders.count++;
  }

  /** Allocates a tensor with memory of its own. A failed allocation is reported to `errors`. */
  static allocate(on: Device, dtype: DType, shape: readonly number[], errors: ErrorScopes): DeviceTensor {
    const size = sizeOf(bytesOf(dtype, shape, on.adapter));
    requireBufferSize("a tensor", size, on.gpu);
    const buffer = errors.watch(
      "out-of-memory",
      () => on.gpu.createBuffer({ size, usage: TENSOR_USAGE, label: "tensor" }),
      (message) => outOfMemory("a tensor", size, message),
    );
    return new DeviceTensor(on, dtype, shape, buffer, true);
  }

  /** The memory, for shaders of your own. */
  get buffer(): GPUBuffer {
    if (this.#buffer !== null) return this.#buffer;
    throw webgpuError("webgpu.disposed", {
      what: "The tensor was disposed",
      advice: "Dispose it after its last use.",
    });
  }

  async readBytes(): Promise<Uint8Array> {
    const { gpu, adapter } = this.on;
    const memory = new Memory(gpu);
    try {
      const size = Math.ceil(bytesOf(this.dtype, this.shape, adapter) / 4) * 4;
      const [bytes] = await new Stream(gpu, memory).read([{ buffer: this.buffer, offset: 0, size }]);
      await memory.errors.check();
      const used = bytes!.subarray(0, bytesOf(this.dtype, this.shape, adapter));
      return fromGpu(this.dtype, used, adapter);
    } catch (error) {
      throw await whyFailed(error, this.on);
    } finally {
      memory.dispose();
    }
  }

  override share(): DeviceTensor<D> {
    return new DeviceTensor(this.on, this.dtype, this.shape, this.buffer, this.#owned, this.#holders);
  }

  dispose(): void {
    if (this.#buffer === null) return;
    this.#holders.count--;
    if (this.#owned && this.#holders.count === 0) this.#buffer.destroy();
    this.#buffer = null;
  }
}

/** `GPUBufferUsage.COPY_SRC`. */
const COPY_SOURCE = 4;

/** Refuses a buffer that cannot hold a tensor of this size. */
export function requireTensor(buffer: GPUBuffer, dtype: DType, shape: readonly number[], bytes: number): void {
  const tensor = `A ${dtype} tensor of shape [${shape.join(", ")}]`;
  if (!shape.every((size) => Number.isSafeInteger(size) && size >= 0)) {
    throw backendError("backend.input", { what: `${tensor} cannot be made`, advice: "Sizes are integers from 0 on." });
  }
  if (buffer.size < bytes) {
    throw backendError("backend.input", {
      what: `${tensor} takes ${bytes} bytes on the GPU, but the buffer has ${buffer.size}`,
      advice: "Make the buffer larger, or correct the shape.",
    });
  }
  if ((buffer.usage & COPY_SOURCE) === 0) {
    throw backendError("backend.input", {
      what: `${tensor} is copied from its buffer, which lacks the usage COPY_SRC`,
      advice: "Make the buffer with GPUBufferUsage.COPY_SRC.",
    });
  }
}
