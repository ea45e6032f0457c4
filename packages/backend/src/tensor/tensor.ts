// Lets the declared types compile in projects whose `lib` lacks `Symbol.dispose`.
/// <reference lib="esnext.disposable" preserve="true" />

import { DTYPES, type DType, normalDim, numel } from "@pt2/format";
import { backendError } from "../backend-errors.ts";
import { type DataOf, dataOf, type ElementOf, elementAt } from "./elements.ts";
import { requireMemory } from "./memory.ts";
import { type NestedList, nestedList } from "./nested-list.ts";
import { tensorMade } from "./tensor-observer.ts";
import { tensorText } from "./tensor-text.ts";

/**
 * A tensor: dense, row-major, immutable by convention. Its bytes are in host memory, as {@link HostTensor}, or on a
 * device until they are read. Using a tensor never consumes it.
 */
export abstract class Tensor<D extends DType = DType> {
  readonly dtype: D;
  /** The size of each dimension, in elements; empty for a single number. */
  readonly shape: readonly number[];
  /** `host`, or the name of the device that holds the tensor. */
  readonly device: string;
  /** The memory, row-major and little-endian, if it is in host memory, else null. */
  abstract readonly bytes: Uint8Array | null;
  #data: DataOf<D> | null;

  protected constructor(dtype: D, shape: readonly number[], device: string, data: DataOf<D> | null = null) {
    this.dtype = dtype;
    this.shape = shape;
    this.device = device;
    this.#data = data;
    if (device !== "host") tensorMade(this);
  }

  /** Copies the memory to the host; returns that of a tensor which is there already. */
  abstract readBytes(): Promise<Uint8Array>;

  /** Frees device memory; host memory is left to the garbage collector. Idempotent. */
  abstract dispose(): void;

  /**
   * Returns another tensor over the same device memory, which is freed when all of them are disposed. Absent in host
   * memory, which the garbage collector frees.
   */
  share?(): Tensor<D>;

  /**
   * Waits for a tensor that is recorded or still being computed, and returns the one that the backend made. Executables
   * take only that one; it lives as long as this tensor. Absent where the elements exist.
   */
  computed?(): Promise<Tensor<D>>;

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** The number of elements. */
  get numel(): number {
    return numel(this.shape);
  }

  /**
   * The elements if they are in host memory, else null: a view of the tensor's memory, except that floats narrower than
   * 32 bits are numbers in a `Float32Array` of their own. Bool is 0 or 1, a complex element a pair.
   */
  get data(): DataOf<D> | null {
    if (this.bytes === null) return null;
    requireMemory(this);
    this.#data ??= dataOf(this.dtype, this.bytes);
    return this.#data;
  }

  /** Returns the elements in host memory, as `data` has them; copies them there if they are on a device. */
  async read(): Promise<DataOf<D>> {
    return this.data ?? dataOf(this.dtype, await this.readBytes());
  }

  /** Returns the tensor in host memory; copies it there if it is on a device. */
  async cpu(): Promise<HostTensor<D>> {
    return new HostTensor(this.dtype, this.shape, this.bytes ?? (await this.readBytes()));
  }

  /**
   * Returns the elements as nested arrays, a single number as itself: bigints for 64-bit integers, booleans for bool.
   * Throws `backend.device-tensor` for a tensor on a device.
   */
  tolist(): NestedList<ElementOf<D>> {
    return nestedList(this.shape, elementAt(this.dtype, this.#onHost("tolist()")));
  }

  /** Returns the only element. Throws `backend.tensor-shape` unless there is one. */
  item(): ElementOf<D> {
    if (this.numel !== 1) {
      throw backendError("backend.tensor-shape", {
        what: `item() needs one element, and a tensor ${this.#type()} has ${this.numel}`,
        advice: "Use tolist() or data for all elements.",
      });
    }
    return elementAt(this.dtype, this.#onHost("item()"))(0);
  }

  /** Returns the elements as float32 numbers, of any real dtype; those of a float32 tensor are not copied. */
  toFloat32(): Float32Array {
    const data: ArrayLike<number | bigint> = this.#onHost("toFloat32()");
    if (data instanceof Float32Array && DTYPES[this.dtype].kind !== "complex") return data;
    if (DTYPES[this.dtype].kind !== "complex") return Float32Array.from(data, Number);
    throw backendError("backend.tensor-data", {
      what: `A ${this.dtype} tensor has no float32 numbers`,
      advice: "Read data: it has the real and imaginary parts in turns.",
    });
  }

  /**
   * Returns the same elements in another shape, over the same memory; one size may be -1. Throws `backend.tensor-shape`
   * if the number of elements differs.
   */
  reshape(shape: readonly number[]): HostTensor<D> {
    const bytes = this.#bytesOnHost("reshape()");
    const sizes: readonly number[] = Array.isArray(shape) ? shape : [Number.NaN];
    const known = sizes.reduce((count, size) => (size === -1 ? count : count * size), 1);
    const isInferred = known > 0 && sizes.filter((size) => size === -1).length === 1;
    const inferred = sizes.map((size) => (size === -1 && isInferred ? this.numel / known : size));
    const fits = inferred.every((size) => Number.isSafeInteger(size) && size >= 0) && numel(inferred) === this.numel;
    if (fits) return new HostTensor(this.dtype, inferred, bytes);
    throw backendError("backend.tensor-shape", {
      what: `A tensor ${this.#type()} has ${this.numel} elements and cannot get the shape ${Array.isArray(shape) ? `[${sizes.join(", ")}]` : String(shape)}`,
      advice: "Give an array of sizes, whose product is the number of elements; at most one size may be -1.",
    });
  }

  /**
   * Returns the elements from `start` to `end` (not included) of dimension `dim`, every `step`-th, as a copy; like
   * `aten::slice`, negative positions count from the end and positions outside are clamped.
   */
  slice(dim = 0, start = 0, end: number = Number.POSITIVE_INFINITY, step = 1): HostTensor<D> {
    const bytes = this.#bytesOnHost("slice()");
    const rank = this.shape.length;
    const axis = normalDim(dim, rank);
    const size = this.shape[axis];
    if (
      size === undefined ||
      ![start, end].every((at) => at >= 0 || at < 0) ||
      !Number.isSafeInteger(step) ||
      step < 1
    ) {
      throw backendError("backend.tensor-shape", {
        what: `slice(${dim}, ${start}, ${end}, ${step}) is not possible for a tensor ${this.#type()}`,
        advice: `The dimension is from ${-rank} to ${rank - 1}, the step 1 or more; start and end are numbers.`,
      });
    }
    const clamped = (at: number): number => Math.min(size, Math.max(0, Math.trunc(at < 0 ? at + size : at)));
    const [from, to] = [clamped(start), clamped(end)];
    const kept = Math.max(0, Math.ceil((to - from) / step));
    const shape = this.shape.with(axis, kept);
    const inner = numel(this.shape.slice(axis + 1)) * DTYPES[this.dtype].itemsize;
    const result = new Uint8Array(numel(shape) * DTYPES[this.dtype].itemsize);
    for (let at = 0; at < result.length; at += inner) {
      const row = at / inner;
      const source = (Math.floor(row / kept) * size + from + (row % kept) * step) * inner;
      result.set(bytes.subarray(source, source + inner), at);
    }
    return new HostTensor(this.dtype, shape, result);
  }

  /** Prints the tensor as PyTorch does: `tensor([[1., 2.]])`. Elements on a device are not read: `tensor(..., …)`. */
  toString(): string {
    return tensorText(this);
  }

  static {
    // Node's `console.log` and `util.inspect` call it.
    Object.defineProperty(Tensor.prototype, Symbol.for("nodejs.util.inspect.custom"), {
      value(this: Tensor) {
        return this.toString();
      },
    });
  }

  #type(): string {
    return `${this.dtype} [${this.shape.join(", ")}]`;
  }

  #onHost(method: string): DataOf<D> {
    this.#bytesOnHost(method);
    return this.data!;
  }

  #bytesOnHost(method: string): Uint8Array {
    requireMemory(this);
    if (this.bytes !== null) return this.bytes;
    throw backendError("backend.device-tensor", {
      what: `${method} needs host memory, and the tensor is on ${this.device}`,
      advice: `Copy it first: (await tensor.cpu()).${method}.`,
    });
  }
}

/** A tensor whose elements are in host memory. It can cross `postMessage`: `tensor(received)` makes it one again. */
export class HostTensor<D extends DType = DType> extends Tensor<D> {
  declare readonly device: "host";
  readonly bytes: Uint8Array;

  /** Makes a tensor over bytes of the right length, whose elements are `data` if they are known; {@link hostTensor} checks. */
  constructor(dtype: D, shape: readonly number[], bytes: Uint8Array, data: DataOf<D> | null = null) {
    super(dtype, shape, "host", data);
    this.bytes = bytes;
  }

  override get data(): DataOf<D> {
    return super.data!;
  }

  async readBytes(): Promise<Uint8Array> {
    requireMemory(this);
    return this.bytes;
  }

  dispose(): void {}
}
