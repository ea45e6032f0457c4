import { numel } from "@pt2/backend";
import { isComplexDtype } from "@pt2/engine";
import { isSmallFloat, normalDim } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { bigints, type Elements, numbers, product } from "../../engine/element-access.ts";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { float32Result, isFloat32 } from "../float32.ts";
import { chosenAlong, eachElement, inOrder, planIndexRows, type Side } from "./index-rows.ts";
import { planRows, type Rows } from "./read-rows.ts";

/** `scatter(self, dim, index, src)`: a copy of `self` in which out[index[i][j]][j] = src[i][j]; the last write wins. */
export const scatter: WasmKernel = wasmKernel({
  ops: ["aten::scatter.src"],
  prepare(call, args) {
    const src = call.tensor(args.src);
    const out = call.output();
    call.copy(call.tensor(args.self), out);
    const rows = rowsOf(call, args, out);
    if (rows !== null) planIndexRows(call, "set", rows, inOrder(src), chosenAlong(out, rows.dim));
  },
});

type Reduce = "sum" | "prod" | "mean" | "amax" | "amin";

/** `scatter_reduce` of int64 that are added up, as counts are. */
export const scatterSumInts: WasmKernel = wasmKernel({
  ops: ["aten::scatter_reduce.two"],
  accepts: ({ self, reduce, include_self }) => self.dtype === "int64" && reduce === "sum" && include_self,
  prepare(call, args) {
    const out = call.output();
    call.copy(call.tensor(args.self), out);
    const rows = rowsOf(call, args, out);
    if (rows !== null) planIndexRows(call, "sum", rows, inOrder(call.tensor(args.src)), chosenAlong(out, rows.dim));
  },
});

/** `scatter_reduce(self, dim, index, src, reduce, include_self)` of floats that a kernel adds up, in single precision. */
export const scatterReduceFloats: WasmKernel = wasmKernel({
  ops: ["aten::scatter_reduce.two"],
  // The sum of a mean of float16 or bfloat16 is rounded before it is divided.
  accepts: ({ self, reduce }) => self.dtype === "float32" || (isFloat32(self) && reduce !== "mean"),
  prepare(call, args) {
    const reduce = args.reduce as Reduce;
    const src = inOrder(call.convert(call.tensor(args.src), "float32"));
    float32Result(call, (out) => {
      call.copy(call.tensor(args.self), out);
      const rows = rowsOf(call, args, out);
      if (rows === null) return;
      const to = chosenAlong(out, rows.dim);
      const op = reduce === "mean" ? "sum" : reduce;
      if (!args.include_self) planIndexRows(call, "set", rows, repeated(call, rows, NEUTRAL[op]), to);
      planIndexRows(call, op, rows, src, to);
      if (reduce === "mean") divideByCounts(call, rows, out, args.include_self ? 1 : 0);
    });
  },
});

/** `scatter_reduce` of other dtypes, element by element. */
export const scatterReduceAny: WasmKernel = wasmKernel({
  ops: ["aten::scatter_reduce.two"],
  accepts: ({ self }) => !isComplexDtype(self.dtype),
  prepare(call, args) {
    const src = call.tensor(args.src);
    const out = call.output();
    call.copy(call.tensor(args.self), out);
    const rows = rowsOf(call, args, out);
    if (rows === null) return;
    const reduce = args.reduce as Reduce;
    const elements = numel(out.shape);
    call.step(() => {
      const plan =
        src.dtype === "int64"
          ? accumulate(
              bigints(call.heap, src),
              bigints(call.heap, out),
              elements,
              BIG[reduce],
              divideBig,
              args.include_self,
            )
          : accumulate(
              numbers(call.heap, src),
              isSmallFloat(out.dtype) ? widened(numbers(call.heap, out), elements) : numbers(call.heap, out),
              elements,
              reduce === "prod" ? product(out.dtype) : NUMBER[reduce],
              divide(out.dtype.startsWith("int")),
              args.include_self,
            );
      const write = plan(reduce === "mean");
      eachElement(call, rows, inOrder(src), chosenAlong(out, rows.dim), write);
      write.finish();
    });
  },
});

/** Writes one element. `finish` does what must wait until all writes are known. */
interface Writer {
  (from: number, to: number): void;
  finish(): void;
}

interface ScatterArgs {
  readonly dim: number;
  readonly index: TensorMeta;
}

/** Plans the rows that are written; null where there are none. */
function rowsOf(call: KernelCall, args: ScatterArgs, out: TensorView): (Rows & { readonly dim: number }) | null {
  const index = call.tensor(args.index);
  if (numel(index.shape) === 0) return null;
  const dim = normalDim(args.dim, out.shape.length);
  return { dim, ...planRows(call, index, { dim, size: out.shape[dim] ?? 1 }) };
}

/** What leaves the first element as it is: a sum with 0 would lose the sign of a zero. */
const NEUTRAL = { sum: -0, prod: 1, amax: Number.NEGATIVE_INFINITY, amin: Number.POSITIVE_INFINITY } as const;

/** One number for each row, which is as long as what the index is expanded over. */
function repeated(call: KernelCall, { shape, strides, dim }: Rows & { readonly dim: number }, value: number): Side {
  const first =
    Math.max(
      dim,
      strides.findLastIndex((stride) => stride !== 0),
    ) + 1;
  const row = call.temporary("float32", shape.slice(first));
  call.step(() => {
    const at = addressOf(row) / 4;
    call.heap.f32.fill(value, at, at + numel(row.shape));
  });
  return { view: row, strides: [...new Array<number>(first).fill(0), ...row.strides], row: 0 };
}

/** Divides each element that was written by how often it was, and `more`. */
function divideByCounts(call: KernelCall, rows: Rows & { readonly dim: number }, out: TensorView, more: number): void {
  const counts = call.temporary("float32", out.shape);
  const elements = numel(out.shape);
  call.step(() => {
    const at = addressOf(counts) / 4;
    call.heap.f32.fill(0, at, at + elements);
  });
  planIndexRows(call, "sum", rows, repeated(call, rows, 1), chosenAlong(counts, rows.dim));
  call.step(() => {
    const { f32 } = call.heap;
    const [sum, count] = [addressOf(out) / 4, addressOf(counts) / 4];
    for (let i = 0; i < elements; i++) if (f32[count + i]! > 0) f32[sum + i]! /= f32[count + i]! + more;
  });
}

/** Elements that are written many times before they are read for good. */
interface Accumulated<T> extends Elements<T> {
  /** Rounds what was written to the dtype of the elements. */
  round?(): void;
}

/** Keeps half precision in float32 between writes, as PyTorch does: 256 + 1 is 256 in bfloat16, however often it is added. */
function widened(elements: Elements<number>, count: number): Accumulated<number> {
  const wide = Float32Array.from({ length: count }, (_, at) => elements.get(at));
  return {
    get: (at) => wide[at]!,
    set: (at, value) => {
      wide[at] = value;
    },
    round: () => {
      for (const [at, value] of wide.entries()) {
        elements.set(at, value);
        wide[at] = elements.get(at);
      }
    },
  };
}

function accumulate<T>(
  src: Elements<T>,
  out: Accumulated<T>,
  elements: number,
  combine: (a: T, b: T) => T,
  divideBy: (sum: T, count: number) => T,
  includeSelf: boolean,
): (mean: boolean) => Writer {
  return (mean) => {
    const counts = new Uint32Array(includeSelf && !mean ? 0 : elements);
    const write =
      counts.length === 0
        ? (from: number, to: number) => out.set(to, combine(out.get(to), src.get(from)))
        : (from: number, to: number) => {
            const isFirst = counts[to]!++ === 0;
            out.set(to, isFirst && !includeSelf ? src.get(from) : combine(out.get(to), src.get(from)));
          };
    const finish = (): void => {
      out.round?.();
      if (!mean) return;
      for (const [to, count] of counts.entries()) {
        if (count > 0) out.set(to, divideBy(out.get(to), includeSelf ? count + 1 : count));
      }
      out.round?.();
    };
    return Object.assign(write, { finish });
  };
}

const NUMBER: Readonly<Record<Exclude<Reduce, "prod">, (a: number, b: number) => number>> = {
  sum: (a, b) => a + b,
  mean: (a, b) => a + b,
  amax: (a, b) => Math.max(a, b),
  amin: (a, b) => Math.min(a, b),
};

const BIG: Readonly<Record<Reduce, (a: bigint, b: bigint) => bigint>> = {
  sum: (a, b) => BigInt.asIntN(64, a + b),
  prod: (a, b) => BigInt.asIntN(64, a * b),
  mean: (a, b) => a + b,
  amax: (a, b) => (a > b ? a : b),
  amin: (a, b) => (a < b ? a : b),
};

/** Integer means are floored, because PyTorch floors them. */
function divide(floors: boolean): (sum: number, count: number) => number {
  return (sum, count) => (floors ? Math.floor(sum / count) : sum / count);
}

function divideBig(sum: bigint, count: number): bigint {
  const divisor = BigInt(count);
  const quotient = sum / divisor;
  return sum < 0n && quotient * divisor !== sum ? quotient - 1n : quotient;
}
