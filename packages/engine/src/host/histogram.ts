import type { DType } from "@pt2/format";
import { convert } from "@pt2/registry/scalar";
import { numberOf } from "../staged/run-value.ts";
import { type HostKernel, hostKernel } from "./host-kernel.ts";

/**
 * `histc(self, bins, min, max)`: counts elements in equal bins. Equal bounds mean the extremes of the data. As in PyTorch, which
 * bin takes an element between two of them is a matter of rounding, in the element's dtype.
 */
export const histogram: HostKernel = hostKernel(["aten::histc"], (call, { self, bins, min, max }) => {
  const { data } = call.array(self);
  const round = roundingTo(self.dtype);
  const counts = new Float64Array(bins);
  let [low, high] = [round(Number(numberOf(min))), round(Number(numberOf(max)))];
  if (low === high && data.length > 0) {
    [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const value of data) [low, high] = [Math.min(low, value), Math.max(high, value)];
  }
  if (low === high) [low, high] = [low - 1, high + 1];
  const [scale, width] = [round(bins), round(high - low)];
  const last = bins - 1;
  for (let i = 0; i < data.length; i++) {
    const value = data[i]!;
    if (!(value >= low && value <= high)) continue;
    // The last bin contains its upper bound.
    const position = Math.trunc(round(round(round(value - low) * scale) / width));
    counts[position < last ? position : last]!++;
  }
  return [counts];
});

function roundingTo(dtype: DType): (x: number) => number {
  if (dtype === "float32") return Math.fround;
  return dtype === "float64" ? (x) => x : (x) => convert(dtype, x) as number;
}
