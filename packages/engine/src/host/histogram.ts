import { numberOf } from "../staged/run-value.ts";
import { type HostKernel, hostKernel } from "./host-kernel.ts";

/** `histc(self, bins, min, max)`: counts elements in equal bins. Equal bounds mean the extremes of the data. */
export const histogram: HostKernel = hostKernel(["aten::histc"], (call, { self, bins, min, max }) => {
  const { data } = call.array(self);
  const counts = new Float64Array(bins);
  let [low, high] = [Number(numberOf(min)), Number(numberOf(max))];
  if (low === high && data.length > 0) {
    low = data.reduce((a, b) => Math.min(a, b));
    high = data.reduce((a, b) => Math.max(a, b));
  }
  if (low === high) [low, high] = [low - 1, high + 1];
  for (const value of data) {
    if (!(value >= low && value <= high)) continue;
    // The last bin contains its upper bound.
    counts[Math.min(bins - 1, Math.floor(((value - low) * bins) / (high - low)))]!++;
  }
  return [counts];
});
