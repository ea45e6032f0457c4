import { numel } from "@pt2/backend";
import { contiguousStrides, normalDim } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { isFloat32 } from "../float32.ts";

/** `argmax` or `argmin` of floats: the first extreme, or the first NaN, of rows that lie one after the other. */
function argExtreme(op: "aten::argmax" | "aten::argmin", kernel: "argmaxRows" | "argminRows"): WasmKernel {
  return wasmKernel({
    ops: [op],
    accepts: ({ self }) => isFloat32(self) && numel(self.shape) > 0,
    prepare(call, { self, dim }) {
      const { source, rows, n } = rowsAlong(call, call.convert(call.tensor(self), "float32"), dim);
      const indices = call.temporary("int32", (call.call.results[0] as TensorMeta).shape);
      const run = call.kernels[kernel];
      call.step(() => run(addressOf(source), addressOf(indices), rows, n));
      call.copy(indices, call.output());
    },
  });
}

/** Rows that lie one after the other. */
interface Rows {
  readonly source: TensorView;
  readonly rows: number;
  readonly n: number;
}

/** Makes the elements along a dimension rows; all elements are one where none is named. */
export function rowsAlong(call: KernelCall, view: TensorView, dim: number | null): Rows {
  const rank = view.shape.length;
  if (dim === null || rank === 0) return { source: call.dense(view), rows: 1, n: numel(view.shape) };
  const n = view.shape.at(dim)!;
  return { source: withLast(call, view, normalDim(dim, rank)), rows: numel(view.shape) / n, n };
}

/** The tensor in such an order that the elements of a dimension are neighbors. */
function withLast(call: KernelCall, view: TensorView, dim: number): TensorView {
  const order = [...view.shape.keys()].filter((d) => d !== dim).concat(dim);
  const row = contiguousStrides(order.map((d) => view.shape[d]!));
  return call.withStrides(
    view,
    view.shape.map((_, d) => row[order.indexOf(d)]!),
  );
}

export const argmax: WasmKernel = argExtreme("aten::argmax", "argmaxRows");
export const argmin: WasmKernel = argExtreme("aten::argmin", "argminRows");
