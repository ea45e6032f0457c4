import { numel } from "@pt2/backend";
import { type DType, isSmallFloat } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { float32Result, isFloat32 } from "../float32.ts";
import { type Columns, columnsOf, outputStrides, reducedDims, stepOfColumns } from "./columns.ts";

type ReductionOp =
  | "aten::sum"
  | "aten::sum.dim_IntList"
  | "aten::mean"
  | "aten::mean.dim"
  | "aten::amax"
  | "aten::amin";
type Reduction = "sum" | "mean" | "max" | "min";

/** `sum`, `mean`, `amax` and `amin` over any dimensions of float tensors. */
function reductionKernel(ops: readonly ReductionOp[], reduction: Reduction): WasmKernel {
  return wasmKernel({
    ops,
    accepts: ({ self, dtype }) => isFloat32(self) && isFloatOrAbsent(dtype) && !isEmpty(self),
    prepare(call, { self, dim }) {
      const result = call.call.results[0] as TensorMeta;
      const given = call.tensor(self);
      // Elements are rounded to float16 or bfloat16 before they are added, but not before they are averaged.
      const isNarrow = reduction === "sum" && isSmallFloat(result.dtype);
      const input = call.convert(isNarrow ? call.convert(given, result.dtype) : given, "float32");
      const dims = reducedDims(dim, input.shape.length);
      const columns = columnsOf(call, input, dims);
      float32Result(call, (out) => planColumns(call, columns, out, reduction), {
        strides: outputStrides(result.shape, columns, input.shape.length),
      });
    },
  });
}

export const sum: WasmKernel = reductionKernel(["aten::sum", "aten::sum.dim_IntList"], "sum");
export const mean: WasmKernel = reductionKernel(["aten::mean", "aten::mean.dim"], "mean");
export const amax: WasmKernel = reductionKernel(["aten::amax"], "max");
export const amin: WasmKernel = reductionKernel(["aten::amin"], "min");

/** Plans a reduction of [outer, n, inner] float32 elements into [outer, inner] dense ones. */
export function planColumns(call: KernelCall, columns: Columns, out: TensorView, reduction: Reduction): void {
  if (numel(out.shape) === 0) return;
  const { kernels } = call;
  const { source, n, inner } = columns;
  const divisor = reduction === "mean" ? n : 1;
  stepOfColumns(call, columns, NANOSECONDS_EACH, (part) => {
    const [from, to] = [addressOf(source) + 4 * part.from, addressOf(out) + 4 * part.to];
    if (reduction === "sum" || reduction === "mean") {
      if (inner === 1) kernels.sumRows(from, to, part.outer, n, divisor);
      else kernels.sumColumns(from, to, part.outer, n, part.columns, inner, divisor);
    } else if (reduction === "max") {
      if (inner === 1) kernels.maxRows(from, to, part.outer, n);
      else kernels.maxColumns(from, to, part.outer, n, part.columns, inner);
    } else if (inner === 1) kernels.minRows(from, to, part.outer, n);
    else kernels.minColumns(from, to, part.outer, n, part.columns, inner);
  });
}

/** Of an element that is read. */
const NANOSECONDS_EACH = 0.15;

function isFloatOrAbsent(dtype: DType | null | undefined): boolean {
  return dtype === null || dtype === undefined || dtype === "float32" || dtype === "float16" || dtype === "bfloat16";
}

function isEmpty({ shape }: TensorMeta): boolean {
  return shape.some((size) => size === 0);
}
