import { contiguousStrides, DTYPES, normalDim } from "@pt2/format";
import type { KernelArgs } from "../plan/kernel-args.ts";
import { requireIndex } from "../staged/index-error.ts";
import { offsetsOf } from "../strides/offsets.ts";
import { type HostCall, type HostKernel, hostKernel } from "./host-kernel.ts";

/** `scatter_reduce(self, dim, index, src, reduce, include_self)` of complex numbers: sums, means and products. */
export const scatterComplex: HostKernel = hostKernel(
  ["aten::scatter_reduce.two"],
  (call, args) => [scatter(call, args)],
  ({ self }) => DTYPES[self.dtype].kind === "complex",
);

function scatter(call: HostCall, args: KernelArgs<"aten::scatter_reduce.two">): Float64Array {
  const [{ shape, data: out }, index, src] = [call.array(args.self), call.array(args.index), call.array(args.src)];
  const { reduce, include_self } = args;
  const dim = normalDim(args.dim, shape.length);
  const strides = contiguousStrides(shape);
  const [stride, size] = [strides[dim] ?? 1, shape[dim] ?? 1];
  const bases = offsetsOf({ shape: index.shape, strides: strides.map((step, d) => (d === dim ? 0 : step)) });
  const sources = offsetsOf({ shape: index.shape, strides: contiguousStrides(src.shape) });
  const counts = new Map<number, number>();
  for (const [i, given] of index.data.entries()) {
    const row = requireIndex(given, dim, size);
    const [to, from] = [bases[i]! + row * stride, 2 * sources[i]!];
    const count = counts.get(to) ?? (include_self ? 1 : 0);
    const [x, y, re, im] = [out[2 * to]!, out[2 * to + 1]!, src.data[from]!, src.data[from + 1]!];
    const product = [x * re - y * im, x * im + y * re];
    out.set(count === 0 ? [re, im] : reduce === "prod" ? product : [x + re, y + im], 2 * to);
    counts.set(to, count + 1);
  }
  if (reduce === "mean") {
    for (const [to, count] of counts) {
      out[2 * to]! /= count;
      out[2 * to + 1]! /= count;
    }
  }
  return out;
}
