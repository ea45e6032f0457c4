import { HostTensor, hostTensor, numel, Tensor, type TypedArray } from "@pt2/backend";
import { contiguousStrides, DTYPES, type DType } from "@pt2/format";
import type { Addon, NativeBytes, NativeTensor, NativeValue } from "./addon.ts";
import { libtorchError } from "./libtorch-errors.ts";
import { fromNative, located } from "./native-failure.ts";

/** The libtorch tensors behind tensors that users hold, so that these can be given back without a copy. */
const natives = new WeakMap<object, NativeTensor>();

/** A tensor as users and handlers give it. */
export interface GivenTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly device?: string;
  readonly data: TypedArray | null;
}

/** Returns whether a value of the native module is a tensor. */
export function isNativeTensor(value: NativeValue | NativeBytes | undefined): value is NativeTensor {
  return typeof value === "object" && value !== null && "strides" in value;
}

/** The memory in which users get results. */
export type Outputs = "host" | "device";

/**
 * Converts a result to a tensor for users; in host memory unless it may stay on its device. Copies are made on the
 * pool.
 */
export async function toTensor(native: NativeTensor, outputs: Outputs): Promise<Tensor> {
  if (native.device !== "cpu" && outputs === "device") return new DeviceTensor(native);
  if (isDense(native))
    return sharedTensor(
      native,
      located(() => native.bytes()),
    );
  const bytes = await readBytes(native);
  return copiedTensor(native, bytes);
}

/** Copies a tensor, which stays as it is. */
export async function copyToHost(native: NativeTensor): Promise<HostTensor> {
  const { dtype, shape } = native;
  return new HostTensor(dtype, shape, (await readBytes(native)).slice());
}

/** Converts a result as {@link toTensor} does, on the calling thread. */
export function toTensorSync(native: NativeTensor, outputs: Outputs): Tensor {
  if (native.device !== "cpu" && outputs === "device") return new DeviceTensor(native);
  const bytes = located(() => native.bytes());
  return isDense(native) ? sharedTensor(native, bytes) : copiedTensor(native, bytes);
}

/** Reads elements in row-major order, on the pool. They may be the memory of the tensor itself. */
function readBytes(native: NativeTensor): Promise<Uint8Array> {
  return native.read().catch((error: unknown) => Promise.reject(fromNative(error)));
}

function isDense({ device, shape, strides }: NativeTensor): boolean {
  const rowMajor = contiguousStrides(shape);
  return device === "cpu" && strides.every((stride, d) => stride === rowMajor[d] || shape[d] === 1);
}

/** Makes a tensor over libtorch's own memory; over these bytes alone where they are a copy, which its user may change. */
function sharedTensor(native: NativeTensor, bytes: Uint8Array): Tensor {
  if (!native.isLent) return copiedTensor(native, bytes);
  const { dtype, shape } = native;
  const tensor = new HostTensor(dtype, shape, bytes);
  natives.set(tensor, native);
  return tensor;
}

function copiedTensor(native: NativeTensor, bytes: Uint8Array): Tensor {
  const { dtype, shape } = native;
  native.dispose();
  return new HostTensor(dtype, shape, bytes);
}

/** A tensor that stays on its device until it is read. */
class DeviceTensor extends Tensor {
  readonly bytes = null;
  readonly #native: NativeTensor;
  /** The number of tensors over the libtorch tensor that are not disposed. */
  readonly #holders: { count: number };
  #disposed = false;

  constructor(native: NativeTensor, holders: { count: number } = { count: 0 }) {
    super(native.dtype, native.shape, native.device);
    this.#native = native;
    this.#holders = holders;
    holders.count++;
    natives.set(this, native);
  }

  async readBytes(): Promise<Uint8Array> {
    return await readBytes(this.#native);
  }

  override share(): DeviceTensor {
    return new DeviceTensor(this.#native, this.#holders);
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#holders.count--;
    if (this.#holders.count === 0) this.#native.dispose();
  }
}

/**
 * Converts a user's tensor to an input of a run: a tensor that libtorch made is used as it is. `what` names it in
 * errors.
 */
export function nativeOrBytes(tensor: GivenTensor, device: string, what: string): NativeTensor | NativeBytes {
  const native = natives.get(tensor);
  if (native !== undefined && native.device === device) return native;
  const { dtype, shape } = tensor;
  const bytes = bytesOf(tensor);
  if (bytes === null) {
    throw libtorchError("libtorch.foreign-tensor", {
      what: `${what} is on device "${tensor.device}", and the program runs on "${device}"`,
      advice: "Read it first: await tensor.cpu().",
    });
  }
  requireBytes(dtype, shape, bytes, what);
  return { dtype, shape, bytes };
}

/**
 * Converts a user's tensor to one in libtorch's memory: a tensor that libtorch made is used as it is, others are
 * copied, and then given to `onCopy`.
 */
export function fromTensor(
  tensor: GivenTensor,
  addon: Pick<Addon, "storage" | "tensor">,
  device: string,
  what: string,
  onCopy?: (copy: NativeTensor) => void,
): NativeTensor {
  const given = nativeOrBytes(tensor, device, what);
  if (isNativeTensor(given)) return given;
  const { dtype, shape, bytes } = given;
  const layout = { dtype, shape, strides: contiguousStrides(shape), storageOffset: 0 };
  const copy = located(() => {
    const storage = addon.storage(bytes);
    try {
      return addon.tensor(storage, layout, device);
    } finally {
      storage.dispose();
    }
  });
  onCopy?.(copy);
  return copy;
}

function isTensor(tensor: GivenTensor | Tensor): tensor is Tensor {
  return tensor instanceof Tensor;
}

/** Returns the memory of a tensor; null if it is on a device. What handlers return need not be a `Tensor`. */
function bytesOf(tensor: GivenTensor): Uint8Array | null {
  if (isTensor(tensor)) return tensor.bytes;
  const { dtype, shape, data } = tensor;
  return data === null ? null : hostTensor(dtype, shape, data).bytes;
}

/** Refuses data whose bytes are not those that its dtype and shape say. */
function requireBytes(dtype: DType, shape: readonly number[], bytes: Uint8Array, what: string): void {
  const expected = numel(shape) * (DTYPES[dtype]?.itemsize ?? Number.NaN);
  if (bytes.byteLength === expected && shape.every((size) => Number.isSafeInteger(size) && size >= 0)) return;
  throw libtorchError("libtorch.input", {
    what: `${what} has ${bytes.byteLength} bytes, but a ${dtype} tensor of shape [${shape.join(", ")}] has ${expected}`,
    advice: "Make tensors with tensor(dtype, shape, data), which checks their length.",
  });
}
