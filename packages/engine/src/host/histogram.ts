import { convert } from "@pt2/registry/scalar";
import { numberOf } from "../staged/run-value.ts";
import { type HostKernel, hostKernel } from "./host-kernel.ts";

/**
 * `histc(self, bins, min, max)`: counts elements in equal bins. Equal bounds mean the extremes of the data. As in PyTorch, which
 * bin takes an element between two of them is a matter of rounding, in the element's dtype.
 */
export const histogram: HostKernel = hostKernel(["aten::histc"], (call, { self, bins, min, max }) => {
  const { data } = call.array(self);
  const round = (x: number): number => convert(self.dtype, x) as number;
  const counts = new Float64Array(bins);
  let [low, high] = [round(Number(numberOf(min))), round(Number(numberOf(max)))];
  if (low === high && data.length > 0) {
    low = data.reduce((a, b) => Math.min(a, b));
    high = data.reduce((a, b) => Math.max(a, b));
  }
  if (low === high) [low, high] = [low - 1, high + 1];
  for (const value of data) {
    if (!(value >= low && value <= high)) continue;
    // The last bin contains its upper bound.
    const position = round(round(round(value - low) * round(bins)) / round(high - low));
    counts[Math.min(bins - 1, Math.floor(position))]!++;
  }
  return [counts];
});
