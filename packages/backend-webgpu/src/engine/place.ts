import { type DType, isContiguous } from "@pt2/format";
import { type ShaderFeatures, storageOf } from "../wgsl/storage.ts";
import type { Constant } from "./constant.ts";

/**
 * Memory of the GPU that holds tensors: of a run (which of the plan's buffers it is, is decided when the whole plan is
 * known), of the module (a mutable buffer), or of a value that never changes.
 */
export interface Buffer {
  /** Bytes as the GPU stores the elements (`storageOf`), which need not be the bytes of the dtype. */
  readonly bytes: number;
  /** The buffer, when the plan has been laid out. */
  gpu(): GPUBuffer;
  /** Set for values that never change: weights and what is computed from them alone. */
  readonly constant: Constant | null;
}

/** A strided tensor in memory: strides and offset count elements. */
export interface Place {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
  readonly buffer: Buffer;
}

/** How many elements of its dtype the buffer of a tensor has room for. */
export function elementsIn({ dtype, buffer }: Pick<Place, "dtype" | "buffer">, features: ShaderFeatures): number {
  return Math.floor(buffer.bytes / storageOf(dtype, features).bytes);
}

/** Whether the elements of a tensor can be copied from buffer to buffer, which goes in words. */
export function isCopyable(place: Place, features: ShaderFeatures): boolean {
  return isContiguous(place) && (place.offset * storageOf(place.dtype, features).bytes) % 4 === 0;
}
