import { numel } from "@pt2/backend";
import { isComplexDtype, offsetsOf } from "@pt2/engine";
import { normalDim } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { bigints, type Elements, mover, numbers } from "../../engine/element-access.ts";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { readIndices } from "../../engine/read-indices.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";

/** `scatter(self, dim, index, src)`: a copy of `self` in which out[index[i][j]][j] = src[i][j]; the last write wins. */
export const scatter: WasmKernel = wasmKernel({
  ops: ["aten::scatter.src"],
  prepare(call, args) {
    const src = call.tensor(args.src);
    planScatter(call, args, src, (out) => {
      const move = mover(call.heap, src, out);
      return (from, to) => move(from, to);
    });
  },
});

type Reduce = "sum" | "prod" | "mean" | "amax" | "amin";

/** `scatter_reduce(self, dim, index, src, reduce, include_self)` */
export const scatterReduce: WasmKernel = wasmKernel({
  ops: ["aten::scatter_reduce.two"],
  accepts: ({ self }) => !isComplexDtype(self.dtype),
  prepare(call, args) {
    const src = call.tensor(args.src);
    const reduce = args.reduce as Reduce;
    const includeSelf = args.include_self;
    const exact = src.dtype === "int64";
    const isPlainSum = reduce === "sum" && includeSelf && src.dtype === "float32";
    planScatter(call, args, src, (out) => {
      if (isPlainSum) return addFloats(call, src, out);
      const elements = numel(out.shape);
      const plan = exact
        ? accumulate(bigints(call.heap, src), bigints(call.heap, out), elements, BIG[reduce], divideBig, includeSelf)
        : accumulate(
            numbers(call.heap, src),
            numbers(call.heap, out),
            elements,
            NUMBER[reduce],
            divide(out.dtype.startsWith("int")),
            includeSelf,
          );
      return plan(reduce === "mean");
    });
  },
});

/** Adds float32, which sums of gradients are: without a function for each access. */
function addFloats({ heap }: KernelCall, src: TensorView, out: TensorView): Writer {
  const { f32 } = heap;
  const [source, target] = [addressOf(src) / 4, addressOf(out) / 4];
  return (from, to) => {
    f32[target + to] = f32[target + to]! + f32[source + from]!;
  };
}

/** Writes one element. `finish` does what must wait until all writes are known. */
interface Writer {
  (from: number, to: number): void;
  finish?(): void;
}

interface ScatterArgs {
  readonly self: TensorMeta;
  readonly dim: number;
  readonly index: TensorMeta;
}

function planScatter(call: KernelCall, args: ScatterArgs, src: TensorView, writer: (out: TensorView) => Writer): void {
  const self = call.tensor(args.self);
  const index = call.dense(call.tensor(args.index));
  const out = call.output();
  call.copy(self, out);
  const dim = normalDim(args.dim, self.shape.length);
  const stride = out.strides[dim] ?? 1;
  const size = out.shape[dim] ?? 1;
  const bases = offsetsOf({ shape: index.shape, strides: out.strides.map((s, d) => (d === dim ? 0 : s)) });
  const rows = new Int32Array(numel(index.shape));
  const sources = offsetsOf({ shape: index.shape, strides: src.strides });
  call.step(() => {
    readIndices(call, index, rows, { dim, size });
    const write = writer(out);
    for (let i = 0; i < rows.length; i++) write(sources[i]!, bases[i]! + rows[i]! * stride);
    write.finish?.();
  });
}

function accumulate<T>(
  src: Elements<T>,
  out: Elements<T>,
  elements: number,
  combine: (a: T, b: T) => T,
  divideBy: (sum: T, count: number) => T,
  includeSelf: boolean,
): (mean: boolean) => Writer {
  return (mean) => {
    if (includeSelf && !mean) return (from, to) => out.set(to, combine(out.get(to), src.get(from)));
    const counts = new Uint32Array(elements);
    const write: Writer = (from, to) => {
      const isFirst = counts[to]!++ === 0;
      out.set(to, isFirst && !includeSelf ? src.get(from) : combine(out.get(to), src.get(from)));
    };
    if (mean) {
      write.finish = () => {
        for (const [to, count] of counts.entries()) {
          if (count > 0) out.set(to, divideBy(out.get(to), includeSelf ? count + 1 : count));
        }
      };
    }
    return write;
  };
}

const NUMBER: Readonly<Record<Reduce, (a: number, b: number) => number>> = {
  sum: (a, b) => a + b,
  prod: (a, b) => a * b,
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
