import { checkInside } from "@pt2/engine";
import { type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import { elementsIn, type TensorView } from "../../engine/tensor-view.ts";

/**
 * `as_strided_scatter(self, src, size, stride, storage_offset)`: a copy of `self`, row-major, whose part that a view would
 * show holds `src`.
 */
export const asStridedScatter: WebgpuKernel = webgpuKernel({
  ops: ["aten::as_strided_scatter"],
  updates: true,
  unsigned: true,
  complex: true,
  prepare(call, { self, src, size, stride, storage_offset }) {
    const out = call.output();
    call.copy(call.tensor(self), out);
    const part: TensorView = {
      ...out,
      shape: size,
      strides: stride,
      offset: storage_offset ?? 0,
    };
    checkInside(part, elementsIn(part, call.adapter));
    call.copy(call.convert(call.tensor(src), out.dtype), part);
  },
});
