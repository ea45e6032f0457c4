import type { DeviceBuffer, TensorView as View } from "@pt2/engine";
import { type DType, isContiguous, numel } from "@pt2/format";
import { type ShaderFeatures, storageOf } from "../wgsl/storage.ts";

/** A buffer of the GPU, which exists when the plan has been laid out. */
export type Buffer = DeviceBuffer<GPUBuffer>;

/** A strided view of a buffer of the GPU. */
export type TensorView = View<GPUBuffer>;

/** Returns the bytes of a tensor's elements on the GPU. */
export function bytesOf(dtype: DType, shape: readonly number[], features: ShaderFeatures): number {
  return numel(shape) * storageOf(dtype, features).bytes;
}

/** Returns how many elements of its dtype the buffer of a tensor has room for. */
export function elementsIn({ dtype, buffer }: Pick<TensorView, "dtype" | "buffer">, features: ShaderFeatures): number {
  return Math.floor(buffer.bytes / storageOf(dtype, features).bytes);
}

/** Whether the elements of a tensor can be copied from buffer to buffer, which is in whole words. */
export function isCopyable(view: TensorView, features: ShaderFeatures): boolean {
  return isContiguous(view) && (view.offset * storageOf(view.dtype, features).bytes) % 4 === 0;
}
