import { DTYPES } from "@pt2/format";
import type { KernelArgs } from "../plan/kernel-args.ts";
import { numberOf } from "../staged/run-value.ts";
import type { HostArray } from "./host-array.ts";
import { type HostCall, type HostKernel, hostKernel } from "./host-kernel.ts";

const START: Readonly<Record<string, number>> = {
  sum: 0,
  mean: 0,
  prod: 1,
  max: Number.NEGATIVE_INFINITY,
  min: Number.POSITIVE_INFINITY,
};

/** Combines rows, which lie from `at` to `end`, with one row. */
type Combine = (sums: Float64Array, data: Float64Array, at: number, end: number) => void;

const add: Combine = (sums, data, at, end) => {
  for (; at < end; at += sums.length) for (let i = 0; i < sums.length; i++) sums[i]! += data[at + i]!;
};

const REDUCE: Readonly<Record<string, Combine>> = {
  sum: add,
  mean: add,
  prod(sums, data, at, end) {
    for (; at < end; at += sums.length) for (let i = 0; i < sums.length; i++) sums[i]! *= data[at + i]!;
  },
  max(sums, data, at, end) {
    for (; at < end; at += sums.length)
      for (let i = 0; i < sums.length; i++) sums[i] = Math.max(sums[i]!, data[at + i]!);
  },
  min(sums, data, at, end) {
    for (; at < end; at += sums.length)
      for (let i = 0; i < sums.length; i++) sums[i] = Math.min(sums[i]!, data[at + i]!);
  },
};

/** `segment_reduce(data, reduce, lengths | offsets, axis, initial)`. */
export const segmentReduce: HostKernel = hostKernel(["aten::segment_reduce"], (call, args) => {
  const data = call.array(args.data);
  const axis = (args.axis + data.shape.length) % data.shape.length;
  const { reduce, initial: given } = args;
  const initial = given === null ? START[reduce]! : Number(numberOf(given));
  const size = (shape: readonly number[]): number => shape.reduce((n, one) => n * one, 1);
  const [rows, inner] = [data.shape[axis]!, size(data.shape.slice(axis + 1))];
  const out = new Float64Array(size(call.shape(0)));
  const segments = call.shape(0)[axis]!;
  const combine = REDUCE[reduce]!;
  for (let outer = 0; outer < size(data.shape.slice(0, axis)); outer++) {
    const bounds = boundsOf(call, args, outer, segments);
    for (let s = 0; s < segments; s++) {
      const [first, end] = [bounds[s]!, bounds[s + 1]!];
      const at = (outer * segments + s) * inner;
      const sums = out.subarray(at, at + inner);
      if (end === first) {
        sums.fill(reduce === "mean" && given === null ? Number.NaN : initial);
        continue;
      }
      sums.fill(initial);
      // A loop for each way to combine: one that calls different functions takes six times as long.
      combine(sums, data.data, (outer * rows + first) * inner, (outer * rows + end) * inner);
      if (reduce === "mean") for (let i = 0; i < inner; i++) sums[i]! /= end - first;
    }
  }
  return [out];
});

function boundsOf(
  call: HostCall,
  { lengths, offsets }: KernelArgs<"aten::segment_reduce">,
  outer: number,
  segments: number,
): readonly number[] {
  if (lengths !== null) {
    const { data } = call.array(lengths);
    let at = 0;
    const ends = Array.from(data.subarray(outer * segments, (outer + 1) * segments), (length) => {
      at += length;
      return at;
    });
    return [0, ...ends];
  }
  return Array.from(call.array(offsets!).data.subarray(outer * (segments + 1), (outer + 1) * (segments + 1)));
}

/** `combinations(self, r, with_replacement)`: subsets of the elements, in the order of their places. */
export const combinations: HostKernel = hostKernel(["aten::combinations"], (call, { self, with_replacement }) => {
  const chosen = subsets(self.shape[0]!, call.shape(0), with_replacement);
  if (DTYPES[self.dtype].kind === "int" && DTYPES[self.dtype].itemsize === 8) {
    const integers = call.bigints(self);
    return [BigInt64Array.from(chosen, (place) => integers[place]!)];
  }
  const { data, complex } = call.array(self);
  const width = complex ? 2 : 1;
  const part = (_: unknown, i: number): number => data[width * chosen[Math.floor(i / width)]! + (i % width)]!;
  return [Float64Array.from({ length: width * chosen.length }, part)];
});

/** The places of the elements of each subset, one subset after the other. */
function subsets(available: number, [count, size]: readonly number[], again: boolean): Int32Array {
  if (size === undefined) return new Int32Array();
  const places = Array.from({ length: size }, (_, i) => (again ? 0 : i));
  const out = new Int32Array(count! * size);
  for (let row = 0; row < count!; row++) {
    out.set(places, row * size);
    let at = size - 1;
    while (at >= 0 && places[at] === (again ? available - 1 : available - size + at)) at--;
    if (at < 0) break;
    places[at]!++;
    for (let i = at + 1; i < size; i++) places[i] = places[i - 1]! + (again ? 0 : 1);
  }
  return out;
}

/** `frexp(self)`: mantissas in [0.5, 1) and exponents of two. */
export const frexp: HostKernel = hostKernel(
  ["aten::frexp.Tensor"],
  (call, { self }) => split(call.array(self)),
  ({ self }) => DTYPES[self.dtype].kind === "float",
);

function split({ data }: HostArray): readonly [Float64Array, Float64Array] {
  const [mantissas, exponents] = [data.slice(), new Float64Array(data.length)];
  for (const [i, value] of data.entries()) {
    if (value === 0 || !Number.isFinite(value)) continue;
    let exponent = Math.ceil(Math.log2(Math.abs(value)));
    if (Math.abs(value) >= 2 ** exponent) exponent++;
    // The division is in two steps, because the largest doubles have the exponent 1024, and 2^1024 is not a double.
    mantissas[i] = value / 2 ** (exponent - 1) / 2;
    exponents[i] = exponent;
  }
  return [mantissas, exponents];
}
