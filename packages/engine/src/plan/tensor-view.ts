import { contiguousStrides, type DType, sameShape } from "@pt2/format";
import type { DeviceBuffer } from "./constant.ts";

/** A strided view of a buffer. Strides and offset count elements. */
export interface TensorView<Handle> {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
  readonly buffer: DeviceBuffer<Handle>;
}

/** A dtype and a shape, with strides where they are not contiguous. */
export interface TensorLayout {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly strides?: readonly number[];
}

/** Views a tensor at the start of a buffer. */
export function viewOf<Handle>(
  buffer: DeviceBuffer<Handle>,
  { dtype, shape, strides = contiguousStrides(shape) }: TensorLayout,
): TensorView<Handle> {
  return { dtype, shape, strides, offset: 0, buffer };
}

/** Returns a key that differs for different views of constants. */
export function viewKey({ buffer, dtype, shape, strides, offset }: TensorView<unknown>): string {
  return `${buffer.constant?.id}:${dtype}[${shape}]/${strides}+${offset}`;
}

/** Whether two views are of the same elements, in the same order. */
export function sameView<Handle>(a: TensorView<Handle>, b: TensorView<Handle>): boolean {
  return (
    a.buffer === b.buffer &&
    a.dtype === b.dtype &&
    a.offset === b.offset &&
    sameShape(a.shape, b.shape) &&
    sameShape(a.strides, b.strides)
  );
}
