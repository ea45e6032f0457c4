import type { DType } from "@pt2/format";
import { isContiguous, normalDim, numel } from "@pt2/format";
import { loadCode } from "@pt2/registry/on-demand";
import { type KernelCall, type WasmKernel, wasmKernel } from "../engine/kernel.ts";
import { addressOf, type TensorView } from "../engine/tensor-view.ts";
import { float32Result, isFloat32 } from "./float32.ts";
import type { ColumnPlanner } from "./softmax-columns.ts";

type SoftmaxOp = "aten::softmax.int" | "aten::_softmax" | "aten::log_softmax.int" | "aten::_log_softmax";

/** Longer columns are moved: what is read again would have left the nearest cache. */
const LONGEST_COLUMN = 256;

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
      const order = [...input.shape.keys()].filter((d) => d !== dim).concat(dim);
      if (isColumns(input.shape, dim) && !isContiguous(permuted(input, order))) {
        const loading = async (): Promise<ColumnPlanner> => (await import("./softmax-columns.ts")).columnPlanner(call);
        return loadCode("softmax over channels", loading).then((plan) =>
          float32Result(call, (out) => plan(call.dense(input), out, dim, rows === "logSoftmaxRows")),
        );
      }
      float32Result(call, (out) => {
        if (dim >= rank - 1) {
          planRows(call, call.dense(input), out, rows);
          return;
        }
        const source = call.dense(permuted(input, order));
        const moved = call.temporary("float32", source.shape);
        planRows(call, source, moved, rows);
        call.copy(moved, permuted(out, order));
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
  return dim < shape.length - 1 && shape[dim]! <= LONGEST_COLUMN && numel(shape.slice(dim + 1)) >= 4;
}

function permuted(view: TensorView, order: readonly number[]): TensorView {
  return { ...view, shape: order.map((d) => view.shape[d]!), strides: order.map((d) => view.strides[d]!) };
}

function isFloatResult(dtype: DType | null | undefined): boolean {
  return dtype === null || dtype === undefined || dtype === "float32" || dtype === "float16" || dtype === "bfloat16";
}

export const softmax: WasmKernel = softmaxKernel(["aten::softmax.int", "aten::_softmax"], "softmaxRows");
export const logSoftmax: WasmKernel = softmaxKernel(["aten::log_softmax.int", "aten::_log_softmax"], "logSoftmaxRows");
