import { checkInside } from "@pt2/engine";
import type { WebgpuKernel } from "../../engine/kernel.ts";
import { elementsIn, type TensorView } from "../../engine/tensor-view.ts";

/**
 * `as_strided_scatter(self, src, size, stride, storage_offset)`: a copy of `self`, row-major, whose part that a view would
 * show holds `src`.
 */
export const asStridedScatter: WebgpuKernel = {
  ops: ["aten::as_strided_scatter"],
  complex: true,
  prepare(call) {
    const out = call.output();
    call.copy(call.tensor("self"), out);
    const part: TensorView = {
      ...out,
      shape: call.arg("size"),
      strides: call.arg("stride"),
      offset: call.arg<number | null>("storage_offset") ?? 0,
    };
    checkInside(part, elementsIn(part, call.adapter));
    call.copy(call.convert(call.tensor("src"), out.dtype), part);
  },
};
