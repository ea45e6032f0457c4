import { numel } from "@pt2/backend";
import { type DType, normalDim } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { numbers } from "../../engine/element-access.ts";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { isFloat32, resultIn } from "../float32.ts";
import { canCombine, chosenAlong, inOrder, planIndexRows, planMeans, type Side } from "./index-rows.ts";
import { planRows, type Rows } from "./read-rows.ts";

/** `scatter(self, dim, index, src)`: a copy of `self` in which out[index[i][j]][j] = src[i][j]; the last write wins. */
export const scatter: WasmKernel = wasmKernel({
  ops: ["aten::scatter.src"],
  updates: true,
  prepare(call, args) {
    const src = call.tensor(args.src);
    const out = call.output();
    call.copy(call.tensor(args.self), out);
    const rows = rowsOf(call, args, out);
    if (rows !== null) planIndexRows(call, "set", rows, inOrder(src), chosenAlong(out, rows.dim));
  },
});

type Reduce = "sum" | "prod" | "mean" | "amax" | "amin";

/** `scatter_reduce(self, dim, index, src, reduce, include_self)`, in single precision where PyTorch computes in it. */
export const scatterReduce: WasmKernel = wasmKernel({
  ops: ["aten::scatter_reduce.two"],
  accepts: ({ self, reduce }) => isFloat32(self) || (canCombine(self) && (self.dtype !== "bool" || reduce !== "mean")),
  prepare(call, args) {
    const { dtype } = args.self;
    const reduce = args.reduce as Reduce;
    const wide = isFloat32(args.self) ? "float32" : dtype;
    const src = inOrder(call.convert(call.tensor(args.src), wide));
    resultIn(wide, call, (out) => {
      call.copy(call.tensor(args.self), out);
      const rows = rowsOf(call, args, out);
      if (rows === null) return;
      const to = chosenAlong(out, rows.dim);
      const op = reduce === "mean" ? "sum" : reduce;
      if (!args.include_self) planIndexRows(call, "set", rows, firstOf(call, rows, op, src), to);
      planIndexRows(call, op, rows, src, to);
      if (reduce !== "mean") return;
      // PyTorch rounds the sum, too.
      if (dtype !== wide) round(call, out, dtype);
      planMeans(call, dtype, out, countsOf(call, rows, out), args.include_self ? 1 : 0);
    });
  },
});

interface ScatterArgs {
  readonly dim: number;
  readonly index: TensorMeta;
}

/** Rows along a dimension. */
type ChosenRows = Rows & { readonly dim: number };

/** Plans the rows that are written; null where there are none. */
function rowsOf(call: KernelCall, args: ScatterArgs, out: TensorView): ChosenRows | null {
  const index = call.tensor(args.index);
  if (numel(index.shape) === 0) return null;
  const dim = normalDim(args.dim, out.shape.length);
  return { dim, ...planRows(call, index, { dim, size: out.shape[dim] ?? 1 }) };
}

/** What the first element is combined with where it is to stay as it is: a sum with 0 would lose the sign of a zero. */
function firstOf(call: KernelCall, rows: ChosenRows, op: "sum" | "prod" | "amax" | "amin", src: Side): Side {
  if (op === "amax" || op === "amin") return src;
  return repeated(call, rows, src.view.dtype, op === "sum" ? -0 : 1);
}

/** One number for each row, which is as long as what the index is expanded over. */
function repeated(call: KernelCall, { shape, strides, dim }: ChosenRows, dtype: DType, value: number): Side {
  const first =
    Math.max(
      dim,
      strides.findLastIndex((stride) => stride !== 0),
    ) + 1;
  const row = call.temporary(dtype, shape.slice(first));
  call.step(() => {
    const { set } = numbers(call.heap, row);
    for (let i = 0; i < numel(row.shape); i++) set(i, value);
  });
  return { view: row, strides: [...new Array<number>(first).fill(0), ...row.strides], row: 0 };
}

/** How often each element was written. */
function countsOf(call: KernelCall, rows: ChosenRows, out: TensorView): TensorView {
  const counts = call.temporary("int32", out.shape);
  call.step(() => {
    const at = addressOf(counts) / 4;
    call.heap.i32.fill(0, at, at + numel(counts.shape));
  });
  planIndexRows(call, "sum", rows, repeated(call, rows, "int32", 1), chosenAlong(counts, rows.dim));
  return counts;
}

/** Rounds elements to those of a narrower dtype. */
function round(call: KernelCall, view: TensorView, dtype: DType): void {
  const narrow = call.temporary(dtype, view.shape);
  call.copy(view, narrow);
  call.copy(narrow, view);
}
