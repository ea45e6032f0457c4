import { checkInside } from "@pt2/engine";
import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { elementsIn, type TensorView } from "../../engine/tensor-view.ts";

/**
 * `as_strided_scatter(self, src, size, stride, storage_offset)`: a row-major copy of `self` in which `src` replaces the
 * elements that `as_strided` with the same arguments would show.
 */
export const asStridedScatter: WasmKernel = wasmKernel({
  ops: ["aten::as_strided_scatter"],
  updates: true,
  unsigned: true,
  prepare(call, { self, src, size, stride, storage_offset }) {
    const out = call.output();
    call.copy(call.tensor(self), out);
    const part: TensorView = {
      ...out,
      shape: size,
      strides: stride,
      offset: storage_offset ?? 0,
    };
    checkInside(part, elementsIn(part));
    call.copy(call.convert(call.tensor(src), out.dtype), part);
  },
});
