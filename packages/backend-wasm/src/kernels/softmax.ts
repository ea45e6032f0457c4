import type { DType } from "@pt2/format";
import { isContiguous, normalDim, numel } from "@pt2/format";
import { type KernelCall, type WasmKernel, wasmKernel } from "../engine/kernel.ts";
import { partScratch } from "../engine/part-scratch.ts";
import { addressOf, type TensorView } from "../engine/tensor-view.ts";
import { eachWhole, type Part } from "../threads/team.ts";
import { float32Result, isFloat32 } from "./float32.ts";

type SoftmaxOp = "aten::softmax.int" | "aten::_softmax" | "aten::log_softmax.int" | "aten::_log_softmax";

/** Longer columns are moved: what is read again would have left the nearest cache. */
const LONGEST_COLUMN = 256;
/** Columns that parts of a step begin at multiples of: a cache line. */
const COLUMNS = 16;

/**
 * `softmax` and `log_softmax` over any dimension. One that is not innermost, in memory either, is a stack of columns; a long one is moved
 * there and back.
 */
function softmaxKernel(ops: readonly SoftmaxOp[], rows: "softmaxRows" | "logSoftmaxRows"): WasmKernel {
  return wasmKernel({
    ops,
    accepts: ({ self, dtype }) => isFloat32(self) && isFloatResult(dtype),
    prepare(call, { self, dim: given, dtype }) {
      const x = call.tensor(self);
      // PyTorch converts to the dtype asked for first, which may round.
      const input = call.convert(dtype == null ? x : call.convert(x, dtype), "float32");
      const rank = input.shape.length;
      const dim = normalDim(given, rank);
      float32Result(call, (out) => {
        const order = [...input.shape.keys()].filter((d) => d !== dim).concat(dim);
        if (dim >= rank - 1) planRows(call, call.dense(input), out, rows);
        else if (isColumns(input.shape, dim) && !isContiguous(permuted(input, order))) {
          planColumns(call, call.dense(input), out, dim, rows);
        } else {
          const source = call.dense(permuted(input, order));
          const moved = call.temporary("float32", source.shape);
          planRows(call, source, moved, rows);
          call.copy(moved, permuted(out, order));
        }
      });
    },
  });
}

/** Of an exponential and a division. */
const NANOSECONDS_EACH = 1;

function planRows(call: KernelCall, from: TensorView, to: TensorView, rows: "softmaxRows" | "logSoftmaxRows"): void {
  const n = from.shape.at(-1) ?? 1;
  const count = from.shape.slice(0, -1).reduce((a, b) => a * b, 1);
  if (n * count === 0) return;
  const run = call.kernels[rows];
  const parts = call.team.parts({ items: count, nanoseconds: n * count * NANOSECONDS_EACH });
  call.step(
    call.team.step(parts, ({ start, count }) => {
      const offset = 4 * start * n;
      run(addressOf(from) + offset, addressOf(to) + offset, count, n);
    }),
  );
}

/** Whether softmax over a dimension is computed for columns that lie side by side, of which there are at least four. */
function isColumns(shape: readonly number[], dim: number): boolean {
  return shape[dim]! <= LONGEST_COLUMN && numel(shape.slice(dim + 1)) >= 4;
}

function planColumns(
  call: KernelCall,
  from: TensorView,
  to: TensorView,
  dim: number,
  rows: "softmaxRows" | "logSoftmaxRows",
): void {
  const n = from.shape[dim]!;
  const inner = numel(from.shape.slice(dim + 1));
  const outer = numel(from.shape.slice(0, dim));
  if (n * inner * outer === 0) return;
  const { softmaxColumns, softmaxScratch } = call.kernels;
  // What is left behind the last whole piece is part of it.
  const pieces = Math.max(1, Math.floor(inner / COLUMNS));
  const parts = call.team.parts({ items: outer * pieces, nanoseconds: n * inner * outer * NANOSECONDS_EACH });
  const scratchOf = partScratch(call, parts, softmaxScratch(n) >>> 0);
  const compute = (part: Part): void =>
    eachWhole(part, pieces, (index, first, count) => {
      const offset = 4 * (index * n * inner + first * COLUMNS);
      const columns = first + count === pieces ? inner - first * COLUMNS : count * COLUMNS;
      const isLog = Number(rows === "logSoftmaxRows");
      const scratch = scratchOf(part);
      softmaxColumns(addressOf(from) + offset, addressOf(to) + offset, n, 4 * inner, columns, isLog, scratch);
    });
  call.step(call.team.step(parts, compute));
}

function permuted(view: TensorView, order: readonly number[]): TensorView {
  return { ...view, shape: order.map((d) => view.shape[d]!), strides: order.map((d) => view.strides[d]!) };
}

function isFloatResult(dtype: DType | null | undefined): boolean {
  return dtype === null || dtype === undefined || dtype === "float32" || dtype === "float16" || dtype === "bfloat16";
}

export const softmax: WasmKernel = softmaxKernel(["aten::softmax.int", "aten::_softmax"], "softmaxRows");
export const logSoftmax: WasmKernel = softmaxKernel(["aten::log_softmax.int", "aten::_log_softmax"], "logSoftmaxRows");
