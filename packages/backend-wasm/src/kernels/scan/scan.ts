import { isComplexDtype, partDtype } from "@pt2/engine";
import { DTYPES, type DType, normalDim } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { resultIn } from "../float32.ts";
import { type Sizes, stepOfColumns } from "../reduce/columns.ts";
import { ELEMENTS, type ElementDType, reductionKernels } from "../reduce/reduction-module.ts";

/** `cumsum` and `cumprod` along one dimension. Elements are rounded to the result's dtype first. */
function scanKernel(op: "aten::cumsum" | "aten::cumprod"): WasmKernel {
  return wasmKernel({
    ops: [op],
    accepts({ self, dtype }) {
      const given = self.dtype;
      const wanted = dtype ?? given;
      return given === wanted || !(isComplexDtype(given) || isComplexDtype(wanted));
    },
    prepare(call, { self, dim }) {
      const { dtype } = call.call.results[0] as TensorMeta;
      const computed = computedIn(dtype);
      const source = call.dense(call.convert(call.convert(call.tensor(self), dtype), computed));
      const sizes = sizesAround(source.shape, dim);
      resultIn(computed, call, (out) => {
        if (!isComplexDtype(dtype)) planScan(call, source, out, sizes, op);
        // Parts of complex numbers are sums of their own.
        else if (op === "aten::cumsum") planScan(call, source, out, { ...sizes, inner: 2 * sizes.inner }, op);
        else planComplexProducts(call, source, out, sizes);
      });
    },
  });
}

/** Of an element that is read and written. */
const NANOSECONDS_EACH = 1;

function planScan(
  call: KernelCall,
  source: TensorView,
  out: TensorView,
  sizes: Sizes,
  op: "aten::cumsum" | "aten::cumprod",
): void {
  const { n, inner } = sizes;
  const dtype = (isComplexDtype(out.dtype) ? partDtype(out.dtype) : out.dtype) as ElementDType;
  const { itemsize } = DTYPES[dtype];
  const { scan } = reductionKernels(call);
  const type = ELEMENTS[dtype];
  // As in PyTorch, running values of float32 are doubles, which are rounded where they are written, and those of half
  // precision are float32.
  const wide = DTYPES[(call.call.results[0] as TensorMeta).dtype].itemsize >= 4 ? 1 : 0;
  const state = call.scratch(8 * (inner === 1 ? 1 : sizes.outer * inner));
  stepOfColumns(call, sizes, NANOSECONDS_EACH, ({ outer, columns, from, to }) => {
    const [first, target] = [source, out].map((view) => addressOf(view) + itemsize * from) as [number, number];
    const at = state.handle + (inner === 1 ? 0 : 8 * to);
    scan(op === "aten::cumprod" ? 1 : 0, type, wide, first, target, outer, n, columns, inner, at);
  });
}

function planComplexProducts(call: KernelCall, source: TensorView, out: TensorView, sizes: Sizes): void {
  const { n, inner } = sizes;
  const { itemsize } = DTYPES[out.dtype];
  const { complexProducts } = reductionKernels(call);
  const type = ELEMENTS[out.dtype === "complex64" ? "float32" : "float64"];
  stepOfColumns(call, sizes, NANOSECONDS_EACH, ({ outer, columns, from }) => {
    const [first, target] = [source, out].map((view) => addressOf(view) + itemsize * from) as [number, number];
    complexProducts(type, first, target, outer, n, columns, inner);
  });
}

/** Returns the dtype of a scan's elements: integers wrap around in 64 bits as they do in fewer. */
function computedIn(dtype: DType): DType {
  const { kind } = DTYPES[dtype];
  if (kind === "complex" || dtype === "float64") return dtype;
  return kind === "float" ? "float32" : "int64";
}

/** Sees a row-major tensor as a dimension, and what is before and behind it. */
export function sizesAround(shape: readonly number[], dim: number): Sizes {
  if (shape.length === 0) return { outer: 1, n: 1, inner: 1 };
  const at = normalDim(dim, shape.length);
  const size = (dims: readonly number[]): number => dims.reduce((a, b) => a * b, 1);
  return { outer: size(shape.slice(0, at)), n: shape[at]!, inner: size(shape.slice(at + 1)) };
}

export const cumsum: WasmKernel = scanKernel("aten::cumsum");
export const cumprod: WasmKernel = scanKernel("aten::cumprod");
