import { denseStrides } from "@pt2/engine";
import { normalDim } from "@pt2/format";
import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";

/** Elements in reverse order along dimensions: a copy of a view whose strides are negative there. */
export const flip: WasmKernel = wasmKernel({
  ops: ["aten::flip"],
  prepare(call, { self, dims }) {
    const view = call.tensor(self);
    const { shape } = view;
    const reversed = new Set(dims.map((dim) => normalDim(dim, shape.length)));
    const strides = view.strides.map((stride, d) => (reversed.has(d) ? -stride : stride));
    // A tensor without dimensions may be flipped along its only one, which it does not have.
    const offset = shape.reduce(
      (at, size, d) => at + (reversed.has(d) ? (size - 1) * view.strides[d]! : 0),
      view.offset,
    );
    const from: TensorView = { ...view, strides, offset };
    call.copy(from, call.output(0, denseStrides(shape, view)));
  },
});
