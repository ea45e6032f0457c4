import { type DType, isContiguous } from "@pt2/format";
import { type ShaderFeatures, storageOf } from "../wgsl/storage.ts";
import type { Buffer } from "./constant.ts";

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
