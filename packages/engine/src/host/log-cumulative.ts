import { contiguousStrides, DTYPES, normalDim } from "@pt2/format";
import { slicesOf } from "../strides/offsets.ts";
import type { HostArray } from "./host-array.ts";
import { type HostKernel, hostKernel } from "./host-kernel.ts";

/**
 * `logcumsumexp(self, dim)` of complex numbers, one after the other: the imaginary part of a running logarithm continues
 * that of its largest number, so no other order gives the same.
 */
export const complexLogCumulative: HostKernel = hostKernel(
  ["aten::logcumsumexp"],
  (call, { self, dim }) => [running(call.array(self), dim)],
  ({ self }) => DTYPES[self.dtype].kind === "complex",
);

type Pair = readonly [re: number, im: number];

function running({ shape, data }: HostArray, given: number): Float64Array {
  if (shape.length === 0 || data.length === 0) return data;
  const dim = normalDim(given, shape.length);
  const { starts, size, stride } = slicesOf({ shape, strides: contiguousStrides(shape) }, dim);
  for (const start of starts) {
    let sum: Pair = [Number.NEGATIVE_INFINITY, 0];
    for (let i = 0; i < size; i++) {
      const at = 2 * (start + i * stride);
      sum = logAddExp([data[at]!, data[at + 1]!], sum);
      data.set(sum, at);
    }
  }
  return data;
}

/** log(exp x + exp y), by the difference to the one with the larger real part. */
function logAddExp(x: Pair, y: Pair): Pair {
  const [small, large] = x[0] < y[0] ? [x, y] : [y, x];
  if (large[0] === Number.NEGATIVE_INFINITY) return small;
  const size = Math.exp(small[0] - large[0]);
  const angle = small[1] - large[1];
  const [re, im] = [size * Math.cos(angle), size * Math.sin(angle)];
  return [Math.log1p(re * (2 + re) + im * im) / 2 + large[0], Math.atan2(im, 1 + re) + large[1]];
}
