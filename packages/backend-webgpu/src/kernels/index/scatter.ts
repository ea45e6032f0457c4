import { isComplexDtype } from "@pt2/engine";
import { DTYPES, normalDim, numel } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { type BinaryFn, castTo, type TypedExpr } from "@pt2/registry/scalar";
import { type KernelCall, type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { accumulatorOf, planAccumulation } from "./accumulate.ts";
import { insideIndices } from "./wrap.ts";
import { planLastWrites, type Writes } from "./write-last.ts";

/** `scatter(self, dim, index, src)`: a copy of `self` in which out[index[i][j]][j] = src[i][j]; the last write wins. */
export const scatter: WebgpuKernel = webgpuKernel({
  ops: ["aten::scatter.src"],
  updates: true,
  complex: true,
  prepare(call, args) {
    const out = call.output();
    call.copy(call.tensor(args.self), out);
    planLastWrites(call, out, sourceOf(call, args), writesOf(call, args, out));
  },
});

type Reduce = "sum" | "prod" | "mean" | "amax" | "amin";

const COMBINE: Readonly<Record<Reduce, BinaryFn>> = { sum: "add", prod: "mul", mean: "add", amax: "max", amin: "min" };

/** `scatter_reduce(self, dim, index, src, reduce, include_self)` */
export const scatterReduce: WebgpuKernel = webgpuKernel({
  ops: ["aten::scatter_reduce.two"],
  complex: true,
  accepts: ({ self, reduce }) => reduce === "sum" || !isComplexDtype(self.dtype),
  prepare(call, args) {
    const self = call.tensor(args.self);
    const out = call.output();
    const reduce = args.reduce as Reduce;
    const includeSelf = args.include_self;
    const dtype = accumulatorOf(out.dtype);
    const input = (view: TensorView, index = 0): TypedExpr => ({ kind: "input", dtype: view.dtype, index });
    const writes = writesOf(call, args, out);
    const values = call.temporary(dtype, out.shape);
    call.copy(self, values);
    if (!includeSelf) planFill(call, values, startOf(reduce, dtype === "float32"), writes);
    planAccumulation(call, values, sourceOf(call, args), COMBINE[reduce], writes);
    if (reduce !== "mean") {
      call.copy(values, out);
      return;
    }
    const counts = call.temporary("int32", out.shape);
    call.elementwise(counts, [], { kind: "const", dtype: "int32", value: includeSelf ? 1 : 0 });
    const shader = call.shader("count writes").atomic("counts", counts);
    const declarations = writes.declare(shader);
    shader.forEach(writes.count, "atomicAdd(&counts_buf[p.counts_offset + position(i)], 1u);", { declarations });
    // Integer means are floored, and sums and counts have the tensor's dtype, in which they wrap around or are rounded, as
    // in PyTorch. A count of 0 is 1: elements that are not written to keep their values.
    const typed = (x: TypedExpr): TypedExpr => castTo(dtype, castTo(out.dtype, x));
    const count = typed(input(counts, 1));
    const one: TypedExpr = { kind: "const", dtype, value: 1 };
    const zero: TypedExpr = { kind: "const", dtype, value: 0 };
    const isZero: TypedExpr = { kind: "binary", dtype: "bool", fn: "eq", x: count, y: zero };
    const by: TypedExpr = { kind: "select", dtype, c: isZero, x: one, y: count };
    const fn = DTYPES[dtype].kind === "float" ? "div" : "floordiv";
    const mean: TypedExpr = { kind: "binary", dtype, fn, x: typed(input(values)), y: by };
    call.elementwise(out, [values, counts], castTo(out.dtype, mean));
  },
});

interface ScatterArgs {
  readonly dim: number;
  readonly index: TensorMeta;
  readonly src: TensorMeta;
}

function sourceOf(call: KernelCall, { src, index }: ScatterArgs): TensorView {
  return { ...call.tensor(src), shape: call.tensor(index).shape };
}

function writesOf(call: KernelCall, args: ScatterArgs, out: TensorView): Writes {
  const index = call.tensor(args.index);
  const dim = normalDim(args.dim, out.shape.length);
  const count = numel(index.shape);
  return {
    count,
    // Along other dimensions than this one, each write goes to its own place.
    areApart: (index.shape[dim] ?? 1) === 1,
    declare(shader) {
      shader.read("index", index);
      shader.offsets("base", {
        shape: index.shape,
        strides: index.shape.map((_, d) => (d === dim ? 0 : out.strides[d]!)),
      });
      const size = out.shape[dim] ?? 1;
      shader.u32("size", size).u32("stride", out.strides[dim] ?? 1);
      return `${insideIndices(shader, "scatter", [{ dim, size }], count)}fn position(i: u32) -> u32 { return base(i) + inside(index(i), p.size) * p.stride; }\n`;
    },
  };
}

/** What a reduction of nothing is. */
function startOf(reduce: Reduce, float: boolean): number {
  if (reduce === "prod") return 1;
  if (reduce !== "amax" && reduce !== "amin") return 0;
  const least = float ? Number.NEGATIVE_INFINITY : -(2 ** 31);
  return reduce === "amax" ? least : float ? Number.POSITIVE_INFINITY : 2 ** 31 - 1;
}

/** Elements that are written to begin at `start` instead of their own value. */
function planFill(call: KernelCall, target: TensorView, start: number, writes: Writes): void {
  if (writes.count === 0) return;
  const shader = call.shader("begin").write("target", target);
  const declarations = writes.declare(shader);
  shader.function("start", { kind: "const", dtype: target.dtype, value: start }, []);
  shader.forEach(writes.count, "set_target(position(i), start());", { declarations });
}
