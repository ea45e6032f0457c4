import { isComplexDtype, partDtype } from "@pt2/engine";
import { contiguousStrides } from "@pt2/format";
import { complexParts } from "../../engine/element-access.ts";
import type { HeapArrays } from "../../engine/heap.ts";
import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { FLOAT32_PRODUCT, FLOAT64_PRODUCT, planProduct } from "./product.ts";

/**
 * Products of complex matrices, as products of real ones. Rows of the first are read as they lie, real and imaginary parts in
 * turn; of the second each row of c is two, c and ic: (a + ib)·c = a·c + b·ic.
 */
export const matmulComplex: WasmKernel = wasmKernel({
  ops: ["aten::bmm"],
  accepts: ({ self }) => isComplexDtype(self.dtype),
  prepare(call, { self, mat2 }) {
    const out = call.output();
    const [a, b] = [call.dense(call.tensor(self)), call.dense(call.tensor(mat2))];
    const [batch, K, N] = b.shape as readonly [number, number, number];
    const dtype = partDtype(self.dtype);
    const rows = call.prepared(b, "complex-rows", { dtype, shape: [batch, 2 * K, 2 * N] }, (inner, from, to) =>
      inner.step(() => writeRows(inner.heap, from, to)),
    );
    planProduct(call, dtype === "float64" ? FLOAT64_PRODUCT : FLOAT32_PRODUCT, real(out), real(a), rows);
  },
});

/** A contiguous stack of complex matrices as one of real ones, of which each has twice the columns. */
function real(view: TensorView): TensorView {
  const [batch, rows, columns] = view.shape as readonly [number, number, number];
  const shape = [batch, rows, 2 * columns];
  return { ...complexParts(view), shape, strides: contiguousStrides(shape) };
}

/** Writes each row of complex numbers twice: as it is, and times i. */
function writeRows(heap: HeapArrays, from: TensorView, to: TensorView): void {
  const numbers = to.dtype === "float64" ? heap.f64 : heap.f32;
  const itemsize = numbers.BYTES_PER_ELEMENT;
  const [batch, rows, length] = to.shape as readonly [number, number, number];
  let [source, target] = [addressOf(from) / itemsize, addressOf(to) / itemsize];
  for (let row = 0; row < (batch * rows) / 2; row++, source += length, target += 2 * length) {
    numbers.copyWithin(target, source, source + length);
    for (let i = 0; i < length; i += 2) {
      numbers[target + length + i] = -numbers[source + i + 1]!;
      numbers[target + length + i + 1] = numbers[source + i]!;
    }
  }
}
