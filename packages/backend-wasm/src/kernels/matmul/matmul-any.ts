import { contiguousStrides, type DType } from "@pt2/format";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import type { Part } from "../../threads/team.ts";
import { FLOAT64_PRODUCT, INT8_PRODUCT, INT32_PRODUCT, INT64_PRODUCT, type Product, planProduct } from "./product.ts";

/** Of an element that becomes one of 16 bits. */
const NANOSECONDS_EACH_WIDENED = 0.3;

/** Products of float64 and of integers. */
export const matmulAny: WasmKernel = wasmKernel({
  ops: ["aten::mm", "aten::bmm"],
  accepts: ({ self }) => !self.dtype.startsWith("complex"),
  prepare(call, { self, mat2 }) {
    const kind = productOf(self.dtype);
    const [a, b] = [self, mat2].map((each) => stacked(call.convert(call.tensor(each), kind.result)));
    const out = call.output();
    const exact = out.dtype === kind.result ? out : call.temporary(kind.result, out.shape);
    planProduct(call, kind, stacked(exact), call.dense(a!), b!);
    call.copy(exact, out);
  },
});

/** `_int_mm(self[M, K], mat2[K, N])`: products of int8, or of uint8 by int8, whose sums are int32. */
export const intMm: WasmKernel = wasmKernel({
  ops: ["aten::_int_mm"],
  prepare(call, { self, mat2 }) {
    const rows = widened(call, call.dense(call.tensor(self)));
    planProduct(call, INT8_PRODUCT, stacked(call.output()), stacked(rows), stacked(call.tensor(mat2)));
  },
});

/** Integers of fewer bits wrap around as the low ones of int32 do. */
function productOf(dtype: DType): Product {
  if (dtype === "float64") return FLOAT64_PRODUCT;
  return dtype === "int64" ? INT64_PRODUCT : INT32_PRODUCT;
}

/** A matrix as a stack of one. */
function stacked(view: TensorView): TensorView {
  const { shape, strides } = view;
  return shape.length === 3 ? view : { ...view, shape: [1, ...shape], strides: [0, ...strides] };
}

/** The rows of a dense matrix of int8 or uint8 as int16, each with an even number of elements. */
function widened(call: KernelCall, matrix: TensorView): TensorView {
  const [M, K] = matrix.shape as readonly [number, number];
  const shape = [M, K + (K % 2)];
  const wide = call.temporary("int16", shape, contiguousStrides(shape));
  const parts = call.team.parts({ items: M, nanoseconds: M * K * NANOSECONDS_EACH_WIDENED });
  const isSigned = matrix.dtype === "int8" ? 1 : 0;
  const { kernels } = call;
  const widen = ({ start, count }: Part): void =>
    kernels.productWiden(addressOf(matrix) + start * K, count, K, isSigned, addressOf(wide) + 2 * start * shape[1]!);
  call.step(call.team.step(parts, widen));
  return wide;
}
