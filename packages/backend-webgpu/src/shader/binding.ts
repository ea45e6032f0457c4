import { reachOf } from "@pt2/format";
import type { Adapter } from "../engine/adapter.ts";
import type { TensorView } from "../engine/tensor-view.ts";
import { webgpuError } from "../webgpu-errors.ts";
import { storageOf } from "../wgsl/storage.ts";
import type { Binding } from "./dispatch.ts";

/** Where a binding begins, and the tensor's first element in it. */
export interface BoundView {
  readonly binding: Binding;
  readonly offset: number;
}

/** Binds a tensor: its whole buffer where the device can bind that, else the part of it that the tensor lies in. */
export function bindingOf(view: TensorView, { limits, f16 }: Pick<Adapter, "limits" | "f16">, what: string): BoundView {
  const { buffer, offset } = view;
  if (buffer.bytes <= limits.maxStorageBufferBindingSize) return { binding: { buffer }, offset };
  const { bytes } = storageOf(view.dtype, { f16 });
  const { first, last } = reachOf(view);
  const alignment = limits.minStorageBufferOffsetAlignment;
  const start = Math.floor((first * bytes) / alignment) * alignment;
  const size = Math.min(Math.ceil(((last + 1) * bytes - start) / 4) * 4, buffer.bytes - start);
  if (size > limits.maxStorageBufferBindingSize) {
    throw webgpuError("webgpu.binding-limit", {
      what: `${what} needs ${size} bytes of one tensor, ${view.dtype}[${view.shape.join(", ")}]; the device binds ${limits.maxStorageBufferBindingSize} at once`,
      advice: "Use a device with a larger maxStorageBufferBindingSize, smaller inputs, or another backend.",
      details: { bytes: size, limit: limits.maxStorageBufferBindingSize },
    });
  }
  return { binding: { buffer, range: { offset: start, size } }, offset: offset - start / bytes };
}

/** Whether a tensor can be bound at once. */
export function fitsBinding(view: TensorView, adapter: Pick<Adapter, "limits" | "f16">): boolean {
  const { bytes } = storageOf(view.dtype, adapter);
  const { maxStorageBufferBindingSize, minStorageBufferOffsetAlignment } = adapter.limits;
  if (view.buffer.bytes <= maxStorageBufferBindingSize) return true;
  const { first, last } = reachOf(view);
  return (last + 1 - first) * bytes + minStorageBufferOffsetAlignment <= maxStorageBufferBindingSize;
}

/**
 * Divides a tensor along a dimension into parts that can each be bound at once: one part where the whole can. This
 * serves tables of weights that are larger than a binding. Parts begin at multiples of `step`: of four, so that they
 * can be read and written as vectors, or of what a packed copy of one is rounded up to.
 */
export function partsOf(
  view: TensorView,
  dim: number,
  adapter: Pick<Adapter, "limits" | "f16">,
  step = 4,
): readonly { readonly view: TensorView; readonly start: number }[] {
  if (fitsBinding(view, adapter)) return [{ view, start: 0 }];
  const { bytes } = storageOf(view.dtype, adapter);
  const { maxStorageBufferBindingSize, minStorageBufferOffsetAlignment } = adapter.limits;
  const stride = view.strides[dim]!;
  const fitting = Math.floor((maxStorageBufferBindingSize - minStorageBufferOffsetAlignment) / (stride * bytes));
  // What does not fit in parts of one either, or along a dimension of stride 0, is refused when it is bound.
  const most = Math.min(Math.max(fitting, 1), view.shape[dim]!);
  const rows = most < step ? most : most - (most % step);
  const parts: { view: TensorView; start: number }[] = [];
  for (let start = 0; start < view.shape[dim]!; start += rows) {
    const shape = view.shape.with(dim, Math.min(rows, view.shape[dim]! - start));
    parts.push({ view: { ...view, shape, offset: view.offset + start * stride }, start });
  }
  return parts;
}
