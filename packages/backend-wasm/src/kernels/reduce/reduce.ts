import { numel } from "@pt2/backend";
import { isDense } from "@pt2/engine";
import { contiguousStrides, type DType, normalDim } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { LINE_FLOATS, type Part } from "../../threads/team.ts";
import { float32Result, isFloat32 } from "../float32.ts";

type ReductionOp =
  | "aten::sum"
  | "aten::sum.dim_IntList"
  | "aten::mean"
  | "aten::mean.dim"
  | "aten::amax"
  | "aten::amin";
type Reduction = "sum" | "mean" | "max" | "min";

/** A dense tensor seen as [outer, n, inner] in memory order, of which n goes away. */
interface Columns {
  readonly source: TensorView;
  readonly outer: number;
  readonly n: number;
  readonly inner: number;
}

/** What is left of a tensor's dimensions. */
interface Kept extends Columns {
  /** The kept dimensions from the slowest to the fastest. */
  readonly kept: readonly number[];
}

/** `sum`, `mean`, `amax` and `amin` over any dimensions of float tensors. */
function reductionKernel(ops: readonly ReductionOp[], reduction: Reduction): WasmKernel {
  return wasmKernel({
    ops,
    accepts: ({ self, dtype }) => isFloat32(self) && isFloatOrAbsent(dtype) && !isEmpty(self),
    prepare(call, { self, dim }) {
      const input = call.convert(call.tensor(self), "float32");
      const dims = reducedDims(dim, input.shape.length);
      const columns = columnsOf(call, input, dims);
      const result = call.call.results[0] as TensorMeta;
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

function reducedDims(given: readonly number[] | null | undefined, rank: number): ReadonlySet<number> {
  const all = given === null || given === undefined || given.length === 0;
  return new Set(all ? Array.from({ length: rank }, (_, d) => d) : given.map((d) => normalDim(d, rank)));
}

function columnsOf(call: KernelCall, input: TensorView, reduced: ReadonlySet<number>): Kept {
  const order = [...input.shape.keys()].sort((a, b) => input.strides[b]! - input.strides[a]! || a - b);
  const first = order.findIndex((d) => reduced.has(d));
  const last = order.findLastIndex((d) => reduced.has(d));
  const adjacent = order.slice(first, last + 1).every((d) => reduced.has(d) || input.shape[d] === 1);
  if (isDense(input.shape, input.strides) && adjacent) return split(input, order, reduced);
  // Otherwise the reduced dimensions go last, by a copy.
  const moved = [...input.shape.keys()].filter((d) => !reduced.has(d)).concat([...reduced].sort((a, b) => a - b));
  const row = contiguousStrides(moved.map((d) => input.shape[d]!));
  const strides = input.shape.map((_, d) => row[moved.indexOf(d)]!);
  return split(call.withStrides(input, strides), moved, reduced);
}

function split(source: TensorView, order: readonly number[], reduced: ReadonlySet<number>): Kept {
  const size = (dims: readonly number[]): number => dims.reduce((n, d) => n * source.shape[d]!, 1);
  const first = order.findIndex((d) => reduced.has(d));
  const last = order.findLastIndex((d) => reduced.has(d));
  if (first < 0) return { source, outer: 1, n: 1, inner: size(order), kept: order };
  const kept = order.filter((d) => !reduced.has(d));
  return {
    source,
    outer: size(order.slice(0, first)),
    n: size(order.slice(first, last + 1)),
    inner: size(order.slice(last + 1)),
    kept,
  };
}

/** The result keeps the memory order of the dimensions that stay. */
function outputStrides(shape: readonly number[], { source, kept }: Kept, rank: number): readonly number[] {
  const strides = new Array<number>(shape.length).fill(1);
  const keepdim = shape.length === rank;
  const positions = [...kept].sort((a, b) => a - b);
  let stride = 1;
  for (const d of [...kept].reverse()) {
    strides[keepdim ? d : positions.indexOf(d)] = stride;
    stride *= source.shape[d]!;
  }
  return strides;
}

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
