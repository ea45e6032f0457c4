import { DTYPES, type DType } from "@pt2/format";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";

/** Views that read the same bytes as another dtype. Where strides cannot say it, of a dense copy. */
export const reinterpret: WasmKernel = wasmKernel({
  ops: ["aten::view_as_real", "aten::view_as_complex", "aten::view.dtype"],
  accepts: ({ self, dtype }) => dtype !== "bool" || self.dtype === "bool",
  prepare(call, args) {
    const self = call.tensor(args.self);
    const { dtype, shape } = call.call.results[0] as TensorView;
    const [from, to] = [DTYPES[self.dtype].itemsize, DTYPES[dtype].itemsize];
    const view = from < to ? joinable(call, self, to / from) : splittable(call, self, from / to);
    const scale = (elements: number): number => (elements * from) / to;
    const outer = view.strides.map(scale);
    // A complex number is a pair more or less; other dtypes only make the last dimension longer or shorter.
    const strides = outer.slice(0, shape.length);
    if (shape.length > view.shape.length || from !== to) strides[shape.length - 1] = 1;
    if (shape.length < view.shape.length) strides.splice(0, shape.length, ...outer.slice(0, shape.length));
    call.alias(0, { dtype, shape, strides, offset: scale(view.offset), buffer: view.buffer });
  },
});

/** With elements side by side that become one, and everything else in multiples of them. */
function joinable(call: KernelCall, view: TensorView, count: number): TensorView {
  const last = view.strides.length - 1;
  const fits =
    view.strides[last] === 1 &&
    view.offset % count === 0 &&
    view.strides.every((stride, d) => d === last || view.shape[d] === 1 || stride % count === 0);
  return fits ? view : compact(call, view);
}

/** With the last dimension dense, unless a dimension for the parts is added. */
function splittable(call: KernelCall, view: TensorView, count: number): TensorView {
  const pairs =
    DTYPES[view.dtype].kind === "complex" && view.shape.length < (call.call.results[0] as TensorView).shape.length;
  return count === 1 || pairs || (view.strides.at(-1) ?? 1) === 1 ? view : compact(call, view);
}

/** A row-major copy in memory of its own. */
function compact(call: KernelCall, view: TensorView): TensorView {
  const copy = call.temporary(view.dtype as DType, view.shape);
  call.copy(view, copy);
  return copy;
}
