import { offsetsOf } from "@pt2/engine";
import { type DType, isSmallFloat, normalDim } from "@pt2/format";
import { bigints, type Elements, numbers, product } from "../../engine/element-access.ts";
import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";

/** A reduction over numbers of one kind: where it starts, how it goes on, and what becomes of the result. */
interface Fold<T> {
  readonly start: T;
  readonly step: (sum: T, x: T) => T;
  readonly finish?: (sum: T, count: number) => T;
}

interface Reduction {
  readonly number: Fold<number> | ((dtype: DType) => Fold<number>);
  readonly int: Fold<bigint>;
  /** Elements are converted to the result's dtype first (`sum` of bools counts). */
  readonly converts: boolean;
}

const wrap = (x: bigint): bigint => BigInt.asIntN(64, x);

const REDUCTIONS = {
  sum: { number: { start: 0, step: (a, b) => a + b }, int: { start: 0n, step: (a, b) => wrap(a + b) }, converts: true },
  prod: {
    number: (dtype) => ({ start: 1, step: product(dtype) }),
    int: { start: 1n, step: (a, b) => wrap(a * b) },
    converts: true,
  },
  mean: {
    number: { start: 0, step: (a, b) => a + b, finish: (sum, count) => sum / count },
    int: { start: 0n, step: (a, b) => a + b },
    converts: true,
  },
  amax: {
    number: { start: Number.NEGATIVE_INFINITY, step: Math.max },
    int: { start: -(1n << 63n), step: (a, b) => (a > b ? a : b) },
    converts: false,
  },
  amin: {
    number: { start: Number.POSITIVE_INFINITY, step: Math.min },
    int: { start: (1n << 63n) - 1n, step: (a, b) => (a < b ? a : b) },
    converts: false,
  },
} satisfies Record<string, Reduction>;

type ReductionOp =
  | "aten::sum"
  | "aten::sum.dim_IntList"
  | "aten::prod"
  | "aten::prod.dim_int"
  | "aten::mean"
  | "aten::mean.dim"
  | "aten::amax"
  | "aten::amin";

/** Reductions of every real dtype over any dimensions; float sums run in double. */
function generalReduction(ops: readonly ReductionOp[], name: keyof typeof REDUCTIONS): WasmKernel {
  return wasmKernel({
    ops,
    accepts: ({ self, dtype }) => !isComplex(self.dtype) && !isComplex(dtype),
    prepare(call, args) {
      const reduction: Reduction = REDUCTIONS[name];
      const given = call.tensor(args.self);
      const out = call.output();
      // Elements are rounded to float16 or bfloat16 first, but not before they are averaged.
      const isNarrow = name !== "mean" && isSmallFloat(out.dtype);
      const rounded = isNarrow ? call.convert(given, out.dtype) : given;
      const self = reduction.converts ? call.convert(rounded, wideEnough(out.dtype)) : given;
      const reduced = reducedDims(args.dim, self.shape.length);
      const kept = [...self.shape.keys()].filter((d) => !reduced.has(d));
      const pick = (dims: readonly number[]): Int32Array =>
        offsetsOf({ shape: dims.map((d) => self.shape[d]!), strides: dims.map((d) => self.strides[d]!) });
      const outer = pick(kept);
      const inner = pick([...reduced]);
      const number = typeof reduction.number === "function" ? reduction.number(self.dtype) : reduction.number;
      call.step(() => {
        if (self.dtype === "int64") {
          foldAll(bigints(call.heap, self), bigints(call.heap, out), outer, inner, reduction.int);
        } else foldAll(numbers(call.heap, self), numbers(call.heap, out), outer, inner, number);
      });
    },
  });
}

function foldAll<T>(from: Elements<T>, to: Elements<T>, outer: Int32Array, inner: Int32Array, fold: Fold<T>): void {
  for (let o = 0; o < outer.length; o++) {
    const base = outer[o]!;
    let sum = fold.start;
    for (let i = 0; i < inner.length; i++) sum = fold.step(sum, from.get(base + inner[i]!));
    to.set(o, fold.finish === undefined ? sum : fold.finish(sum, inner.length));
  }
}

/** Half-precision results are rounded once, at the end; the elements that are read are exact. */
function wideEnough(dtype: DType): DType {
  return dtype === "float16" || dtype === "bfloat16" ? "float32" : dtype;
}

function reducedDims(given: number | readonly number[] | null | undefined, rank: number): ReadonlySet<number> {
  const dims = typeof given === "number" ? [given] : (given ?? []);
  return new Set(
    dims.length === 0
      ? Array.from({ length: rank }, (_, d) => d)
      : dims.map((d) => normalDim(d, rank)).filter((d) => d < rank),
  );
}

function isComplex(dtype: DType | null | undefined): boolean {
  return dtype?.startsWith("complex") === true;
}

/** `argmax` and `argmin`: the first extreme, or the first NaN. Without `dim`, of the flattened tensor. */
function argReduction(
  op: "aten::argmax" | "aten::argmin",
  better: <T extends number | bigint>(x: T, best: T) => boolean,
): WasmKernel {
  return wasmKernel({
    ops: [op],
    accepts: ({ self }) => !isComplex(self.dtype),
    prepare(call, args) {
      const self = call.tensor(args.self);
      const out = call.output();
      const { outer, inner } = lanes(self, args.dim);
      call.step(() => {
        const to = numbers(call.heap, out);
        for (const [o, base] of outer.entries()) {
          const at =
            self.dtype === "int64"
              ? extreme(bigints(call.heap, self), base, inner, better)
              : extreme(numbers(call.heap, self), base, inner, better);
          to.set(o, at);
        }
      });
    },
  });
}

function extreme<T extends number | bigint>(
  from: Elements<T>,
  base: number,
  offsets: Int32Array,
  better: (x: T, best: T) => boolean,
): number {
  const isNotANumber = (x: T): boolean => typeof x === "number" && Number.isNaN(x);
  let [best, at] = [from.get(base + offsets[0]!), 0];
  for (let i = 1; i < offsets.length && !isNotANumber(best); i++) {
    const x = from.get(base + offsets[i]!);
    if (better(x, best) || isNotANumber(x)) [best, at] = [x, i];
  }
  return at;
}

function lanes(self: TensorView, dim: number | null): { readonly outer: Int32Array; readonly inner: Int32Array } {
  if (dim === null) return { outer: new Int32Array(1), inner: offsetsOf(self) };
  const rank = self.shape.length;
  const at = normalDim(dim, rank);
  const kept = [...self.shape.keys()].filter((d) => d !== at);
  return {
    outer: offsetsOf({ shape: kept.map((d) => self.shape[d]!), strides: kept.map((d) => self.strides[d]!) }),
    inner: rank === 0 ? new Int32Array(1) : offsetsOf({ shape: [self.shape[at]!], strides: [self.strides[at]!] }),
  };
}

export const GENERAL_REDUCTIONS: readonly WasmKernel[] = [
  generalReduction(["aten::sum", "aten::sum.dim_IntList"], "sum"),
  generalReduction(["aten::prod", "aten::prod.dim_int"], "prod"),
  generalReduction(["aten::mean", "aten::mean.dim"], "mean"),
  generalReduction(["aten::amax"], "amax"),
  generalReduction(["aten::amin"], "amin"),
  argReduction("aten::argmax", (x, best) => x > best),
  argReduction("aten::argmin", (x, best) => x < best),
];
