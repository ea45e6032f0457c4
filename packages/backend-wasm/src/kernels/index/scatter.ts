import { numel } from "@pt2/backend";
import { isComplexDtype, offsetsOf } from "@pt2/engine";
import { isSmallFloat, normalDim } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { bigints, type Elements, mover, numbers, product } from "../../engine/element-access.ts";
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
            isSmallFloat(out.dtype) ? widened(numbers(call.heap, out), elements) : numbers(call.heap, out),
            elements,
            reduce === "prod" ? product(out.dtype) : NUMBER[reduce],
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
    const write: Writer =
      counts.length === 0
        ? (from, to) => out.set(to, combine(out.get(to), src.get(from)))
        : (from, to) => {
            const isFirst = counts[to]!++ === 0;
            out.set(to, isFirst && !includeSelf ? src.get(from) : combine(out.get(to), src.get(from)));
          };
    write.finish = () => {
      out.round?.();
      if (!mean) return;
      for (const [to, count] of counts.entries()) {
        if (count > 0) out.set(to, divideBy(out.get(to), includeSelf ? count + 1 : count));
      }
      out.round?.();
    };
    return write;
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
