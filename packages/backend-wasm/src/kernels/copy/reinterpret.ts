import { DTYPES, type DType } from "@pt2/format";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";

/** Views that read the same bytes as another dtype. If strides cannot express the view, it is a view of a dense copy. */
export const reinterpret: WasmKernel = wasmKernel({
  ops: ["aten::view_as_real", "aten::view_as_complex", "aten::view.dtype"],
  unsigned: true,
  accepts: ({ self, dtype }) => dtype !== "bool" || self.dtype === "bool",
  prepare(call, args) {
    const self = call.tensor(args.self);
    const { dtype, shape } = call.call.results[0] as TensorView;
    const [from, to] = [DTYPES[self.dtype].itemsize, DTYPES[dtype].itemsize];
    const view = from < to ? joinable(call, self, to / from) : splittable(call, self, from / to);
    const scale = (elements: number): number => (elements * from) / to;
    const outer = view.strides.map(scale);
    // Views of complex numbers as pairs add or remove a dimension; other views only change the length of the last one.
    const strides = outer.slice(0, shape.length);
    if (shape.length > view.shape.length || from !== to) strides[shape.length - 1] = 1;
    if (shape.length < view.shape.length) strides.splice(0, shape.length, ...outer.slice(0, shape.length));
    call.alias(0, { dtype, shape, strides, offset: scale(view.offset), buffer: view.buffer });
  },
});

/** Returns the view, or a copy: elements that become one are adjacent, and other strides are multiples of their count. */
function joinable(call: KernelCall, view: TensorView, count: number): TensorView {
  const last = view.strides.length - 1;
  const fits =
    view.strides[last] === 1 &&
    view.offset % count === 0 &&
    view.strides.every((stride, d) => d === last || view.shape[d] === 1 || stride % count === 0);
  return fits ? view : compact(call, view);
}

/** Returns the view, or a copy, whose last dimension is dense, unless the view adds a dimension for the parts. */
function splittable(call: KernelCall, view: TensorView, count: number): TensorView {
  const pairs =
    DTYPES[view.dtype].kind === "complex" && view.shape.length < (call.call.results[0] as TensorView).shape.length;
  return count === 1 || pairs || (view.strides.at(-1) ?? 1) === 1 ? view : compact(call, view);
}

/** Makes a row-major copy in memory of its own. */
function compact(call: KernelCall, view: TensorView): TensorView {
  const copy = call.temporary(view.dtype as DType, view.shape);
  call.copy(view, copy);
  return copy;
}
