import { DTYPES, type DType } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import type { KernelCall, WasmKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";

/** Views that read the same bytes as another dtype. Where strides cannot say it, of a dense copy. */
export const reinterpret: WasmKernel = {
  ops: ["aten::view_as_real", "aten::view_as_complex", "aten::view.dtype"],
  accepts: ({ self, dtype }) => dtype !== "bool" || (self as TensorMeta).dtype === "bool",
  prepare(call) {
    const self = call.tensor("self");
    const { dtype, shape } = call.call.results[0] as TensorView;
    const [from, to] = [DTYPES[self.dtype].itemsize, DTYPES[dtype].itemsize];
    const place = from < to ? joinable(call, self, to / from) : splittable(call, self, from / to);
    const scale = (elements: number): number => (elements * from) / to;
    const outer = place.strides.map(scale);
    // A complex number is a pair more or less; other dtypes only make the last dimension longer or shorter.
    const strides = outer.slice(0, shape.length);
    if (shape.length > place.shape.length || from !== to) strides[shape.length - 1] = 1;
    if (shape.length < place.shape.length) strides.splice(0, shape.length, ...outer.slice(0, shape.length));
    call.alias(0, { dtype, shape, strides, offset: scale(place.offset), buffer: place.buffer });
  },
};

/** With elements side by side that become one, and everything else in multiples of them. */
function joinable(call: KernelCall, place: TensorView, count: number): TensorView {
  const last = place.strides.length - 1;
  const fits =
    place.strides[last] === 1 &&
    place.offset % count === 0 &&
    place.strides.every((stride, d) => d === last || place.shape[d] === 1 || stride % count === 0);
  return fits ? place : compact(call, place);
}

/** With the last dimension dense, unless a dimension for the parts is added. */
function splittable(call: KernelCall, place: TensorView, count: number): TensorView {
  const pairs =
    DTYPES[place.dtype].kind === "complex" && place.shape.length < (call.call.results[0] as TensorView).shape.length;
  return count === 1 || pairs || (place.strides.at(-1) ?? 1) === 1 ? place : compact(call, place);
}

/** A row-major copy in memory of its own. */
function compact(call: KernelCall, place: TensorView): TensorView {
  const copy = call.temporary(place.dtype as DType, place.shape);
  call.copy(place, copy);
  return copy;
}
