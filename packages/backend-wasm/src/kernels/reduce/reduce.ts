import { numel } from "@pt2/backend";
import { type DType, isSmallFloat } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { LINE_FLOATS, type Part } from "../../threads/team.ts";
import { float32Result, isFloat32 } from "../float32.ts";
import { type Columns, columnsOf, outputStrides, reducedDims } from "./columns.ts";

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
export function planColumns(
  call: KernelCall,
  { source, outer, n, inner }: Columns,
  out: TensorView,
  reduction: Reduction,
): void {
  if (numel(out.shape) === 0) return;
  const { kernels } = call;
  const divisor = reduction === "mean" ? n : 1;
  const nanoseconds = outer * n * inner * NANOSECONDS_EACH;
  // Each result is a sum of its own: parts are rows, or whole blocks of them where what is summed lies apart, or columns of all.
  const byColumns = outer < inner;
  const division = byColumns ? { items: inner, unit: LINE_FLOATS } : { items: outer };
  const parts = call.team.parts({ ...division, nanoseconds });
  const compute = ({ start, count }: Part): void => {
    const [block, column] = byColumns ? [0, start] : [start, 0];
    const [blocks, columns] = byColumns ? [outer, count] : [count, inner];
    const from = addressOf(source) + 4 * (block * n * inner + column);
    const to = addressOf(out) + 4 * (block * inner + column);
    if (reduction === "sum" || reduction === "mean") {
      if (inner === 1) kernels.sumRows(from, to, blocks, n, divisor);
      else kernels.sumColumns(from, to, blocks, n, columns, inner, divisor);
    } else if (reduction === "max") {
      if (inner === 1) kernels.maxRows(from, to, blocks, n);
      else kernels.maxColumns(from, to, blocks, n, columns, inner);
    } else if (inner === 1) kernels.minRows(from, to, blocks, n);
    else kernels.minColumns(from, to, blocks, n, columns, inner);
  };
  call.step(call.team.step(parts, compute));
}

/** Of an element that is read. */
const NANOSECONDS_EACH = 0.15;

function isFloatOrAbsent(dtype: DType | null | undefined): boolean {
  return dtype === null || dtype === undefined || dtype === "float32" || dtype === "float16" || dtype === "bfloat16";
}

function isEmpty({ shape }: TensorMeta): boolean {
  return shape.some((size) => size === 0);
}
