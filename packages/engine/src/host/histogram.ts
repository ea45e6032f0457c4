import { type DType, isSmallFloat } from "@pt2/format";
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
  const edges = { low, high, scale, width };
  // Functions that round are told apart here: a loop that calls several kinds of them takes six times as long.
  if (self.dtype === "float64") countDoubles(data, edges, counts);
  else if (self.dtype === "float32") countFloats(data, edges, counts);
  else if (isSmallFloat(self.dtype)) countSmall(data, edges, counts, round);
  else countRounded(data, edges, counts, round);
  return [counts];
});

/** Where bins are, and what the distance from the first edge is multiplied and divided by to number them. */
interface Edges {
  readonly low: number;
  readonly high: number;
  readonly scale: number;
  readonly width: number;
}

/** Returns the bin of what is so many bins from the first edge; the last one contains its upper bound. */
function binOf(bin: number, { length }: Float64Array): number {
  return bin < length - 1 ? Math.trunc(bin) : length - 1;
}

function countDoubles(data: Float64Array, { low, high, scale, width }: Edges, counts: Float64Array): void {
  for (let i = 0; i < data.length; i++) {
    const value = data[i]!;
    if (value >= low && value <= high) counts[binOf(((value - low) * scale) / width, counts)]!++;
  }
}

function countFloats(data: Float64Array, { low, high, scale, width }: Edges, counts: Float64Array): void {
  const { fround } = Math;
  for (let i = 0; i < data.length; i++) {
    const value = data[i]!;
    if (value >= low && value <= high) counts[binOf(fround(fround(fround(value - low) * scale) / width), counts)]!++;
  }
}

/**
 * Counts elements of half precision, exactly. PyTorch counts in their dtype, where 1 more than 2048 of float16, or 256 of bfloat16, is
 * the same number: its counts end there, at as many times this as threads counted. Of 65,536 numbers each is rounded once.
 */
function countSmall(
  data: Float64Array,
  { low, high, scale, width }: Edges,
  counts: Float64Array,
  round: (x: number) => number,
): void {
  // Behind these bits of a float32 a small float has none.
  const shift = 13;
  const float = new Float32Array(1);
  const bits = new Uint32Array(float.buffer);
  /** The bin of a number, from 1 on; 0 if it is not known yet. */
  const bins = new Int32Array(2 ** (32 - shift));
  for (let i = 0; i < data.length; i++) {
    const value = data[i]!;
    if (!(value >= low && value <= high)) continue;
    float[0] = value;
    const at = bits[0]! >>> shift;
    bins[at] ||= 1 + binOf(round(round(round(value - low) * scale) / width), counts);
    counts[bins[at]! - 1]!++;
  }
}

function countRounded(
  data: Float64Array,
  { low, high, scale, width }: Edges,
  counts: Float64Array,
  round: (x: number) => number,
): void {
  for (let i = 0; i < data.length; i++) {
    const value = data[i]!;
    if (value >= low && value <= high) counts[binOf(round(round(round(value - low) * scale) / width), counts)]!++;
  }
}

function roundingTo(dtype: DType): (x: number) => number {
  if (dtype === "float32") return Math.fround;
  return dtype === "float64" ? (x) => x : (x) => convert(dtype, x) as number;
}
