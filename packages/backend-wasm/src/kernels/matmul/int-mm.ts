import { contiguousStrides } from "@pt2/format";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import type { Part } from "../../threads/team.ts";
import { INT8_PRODUCT, planProduct, stacked } from "./product.ts";
import { productKernels } from "./products-module.ts";

/** Of an element that becomes one of 16 bits. */
const NANOSECONDS_EACH_WIDENED = 0.3;

/** `_int_mm(self[M, K], mat2[K, N])`: products of int8, or of uint8 by int8, whose sums are int32. */
export const intMm: WasmKernel = wasmKernel({
  ops: ["aten::_int_mm"],
  prepare(call, { self, mat2 }) {
    const rows = widened(call, call.dense(call.tensor(self)));
    planProduct(call, INT8_PRODUCT, stacked(call.output()), stacked(rows), stacked(call.tensor(mat2)));
  },
});

/** The rows of a dense matrix of int8 or uint8 as int16, each with an even number of elements. */
function widened(call: KernelCall, matrix: TensorView): TensorView {
  const [M, K] = matrix.shape as readonly [number, number];
  const shape = [M, K + (K % 2)];
  const wide = call.temporary("int16", shape, contiguousStrides(shape));
  const parts = call.team.parts({ items: M, nanoseconds: M * K * NANOSECONDS_EACH_WIDENED });
  const isSigned = matrix.dtype === "int8" ? 1 : 0;
  const { productWiden } = productKernels(call);
  const widen = ({ start, count }: Part): void =>
    productWiden(addressOf(matrix) + start * K, count, K, isSigned, addressOf(wide) + 2 * start * shape[1]!);
  call.step(call.team.step(parts, widen));
  return wide;
}
